// The player of one trace, with its questions, for notebooks and pages: built as player.js.
import { Asking } from "./asking";
import { door } from "./doors";
import { Player } from "./player";
import "./whole";

Player.Asking = Asking;
export default door(Player);
