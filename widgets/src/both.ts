// The player of two traces, built as both.js: who plays one alone need not load it.
import { Compare } from "./compare";
import { door } from "./doors";

export default door(Compare);
