import { forgePackage } from "./forge-package.ts";
import type { ForgedCase } from "./forged-case.ts";
import { forgedShapes } from "./forged-shapes.ts";
import { forgedTimes } from "./forged-times.ts";

/** Everything that rows 1 to 25 of the acceptance matrix name and the test vectors lack. */
export const forgedCases: readonly ForgedCase[] = [...forgedShapes, ...forgedTimes];

export function forgedFile(one: ForgedCase): Buffer {
  return forgePackage(one.package);
}
