// The presenter of one trace, built as presenter.js.
import { door } from "./doors";
import { arrayFigure } from "./figures";
import { Inspector } from "./inspector";
import { Presenter } from "./presenter";

Inspector.arrayFigure = arrayFigure;
export default door(Presenter);
