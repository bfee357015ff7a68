import { forgePackage } from "./forge-package.ts";
import type { ForgedCase } from "./forged-case.ts";
import { forgedShapes } from "./forged-shapes.ts";
import { forgedTimes } from "./forged-times.ts";

/** Signed packages with every fault and every odd shape that the test vectors lack. */
export const forgedCases: readonly ForgedCase[] = [...forgedShapes, ...forgedTimes];

export function forgedFile(forgedCase: ForgedCase): Buffer {
  return forgePackage(forgedCase.package);
}
