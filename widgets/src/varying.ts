// The player of many runs of a program, built as vary.js: who plays one alone need not load it.
import { door } from "./doors";
import { Vary } from "./vary";
import "./whole";

export default door(Vary);
