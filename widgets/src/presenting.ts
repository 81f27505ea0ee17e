// The presenter of one trace, built as presenter.js.
import { door } from "./doors";
import { Presenter } from "./presenter";

export default door(Presenter);
