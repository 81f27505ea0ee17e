// A class that votes with phones: the page that leads the vote is another tab of this browser, and counts for this one.

export type Wish = "open" | "close" | "again" | "reveal";

/** How the vote on question `number` stands, written as in an address, and how many have voted, in words. */
export interface Heard {
  number: number;
  votes: string;
  said: string;
}

export class Phones {
  /** Whether there is such a page. */
  there = false;
  private readonly line = new BroadcastChannel(`vote ${new URL(".", location.href).pathname}`);

  constructor(hear: (heard: Heard) => void) {
    this.line.onmessage = ({ data }: MessageEvent<Heard | "gone">) => {
      this.there = data !== "gone";
      if (data !== "gone") hear(data);
    };
    this.line.postMessage({});
  }

  /** Ask for something to be done with a question. */
  wish(number: number, wish: Wish): void {
    this.line.postMessage({ number, wish });
  }

  close(): void {
    this.line.close();
  }
}
