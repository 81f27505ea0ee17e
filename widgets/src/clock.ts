// A clock that counts up, started and stopped by a key.
export class Clock {
  private since: number | undefined;
  private before = 0;

  constructor(private readonly show: (time: string) => void) {
    window.setInterval(() => this.show(this.text), 500);
  }

  toggle(): void {
    if (this.since === undefined) this.since = Date.now();
    else {
      this.before += Date.now() - this.since;
      this.since = undefined;
    }
    this.show(this.text);
  }

  zero(): void {
    this.before = 0;
    if (this.since !== undefined) this.since = Date.now();
    this.show(this.text);
  }

  /** Minutes and seconds; nothing while it was never started. */
  get text(): string {
    const passed = Math.floor((this.before + (this.since === undefined ? 0 : Date.now() - this.since)) / 1000);
    if (!passed && this.since === undefined) return "";
    return `${Math.floor(passed / 60)}:${String(passed % 60).padStart(2, "0")}`;
  }
}
