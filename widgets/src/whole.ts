// What films of a few numbers without findings do without, built in.
import { arrayFigure } from "./figures";
import { Findings } from "./findings";
import { FlowRow } from "./flow";
import { Inspector } from "./inspector";
import { Player } from "./player";

Object.assign(Player, { Flow: FlowRow, Findings });
Inspector.arrayFigure = arrayFigure;
