// The player of one trace, built as player.js.
import { door } from "./doors";
import { Player } from "./player";

export default door(Player);
