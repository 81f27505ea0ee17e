// What films of a few numbers without findings do without, built in.
import { arrayFigure } from "./figures";
import FIGURES_CSS from "./figures.css";
import { Findings } from "./findings";
import { FlowRow } from "./flow";
import FLOW_CSS from "./flow.css";
import { Inspector } from "./inspector";
import { Player } from "./player";

Object.assign(Player, { Flow: FlowRow, Findings, sheet: FIGURES_CSS + FLOW_CSS });
Inspector.arrayFigure = arrayFigure;
