// Writes docs/events.md from the schemas of events. A test of the package events compares them.
import { writeFileSync } from "node:fs";
import { eventsPage } from "../packages/events/src/schemas/index.ts";

writeFileSync(new URL("../docs/events.md", import.meta.url), eventsPage());
