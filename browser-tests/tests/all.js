// Everything in one process: the planted history and the browser are made once.

import "./browse.js";
import "./difference.js";
import "./pages.js";
import "./site.js";
import "./stored.js";
import "./acts.js";
import "./states.js";
import "./window.js";
import "./marks.js";
import "./week.js";
import "./unusual.js";
import "./login.js";
import "./memento.js";
import "./images.js";
