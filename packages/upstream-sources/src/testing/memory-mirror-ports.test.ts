import { test } from "vitest";
import { createMemoryMirrorPorts, mirrorPortsContract } from "./index.ts";

test.each(mirrorPortsContract)("in memory: $name", ({ run }) => run(createMemoryMirrorPorts()));
