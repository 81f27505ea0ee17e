// The player of one trace of a few numbers, for a page alone: built as plain.js.
import { openPage } from "./address";
import { Player } from "./player";

openPage(Player);
