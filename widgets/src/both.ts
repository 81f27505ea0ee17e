// The player of two traces, built as both.js: who plays one alone need not load it.
import { Compare } from "./compare";
import { door } from "./doors";
import { arrayFigure } from "./figures";
import { Inspector } from "./inspector";

Inspector.arrayFigure = arrayFigure;
export default door(Compare);
