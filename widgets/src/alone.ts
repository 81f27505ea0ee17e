// The player of one trace that asks nothing, for a page alone: built as page.js.
import { openPage } from "./address";
import { Player } from "./player";
import "./whole";

openPage(Player);
