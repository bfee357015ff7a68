import { expect, test } from "vitest";
import { drawLayers, layersOf } from "./layers.ts";
import { MAY_IMPORT } from "./may-import.ts";

test("a package is one layer above the highest package that it imports", () => {
  const imports = {
    "hosts/registry": ["packages/web", "packages/jobs"],
    "packages/web": ["packages/rows"],
    "packages/rows": ["packages/jobs"],
    "packages/jobs": [],
    "packages/alone": [],
  };
  expect(layersOf(imports)).toEqual([
    ["packages/jobs"],
    ["packages/rows"],
    ["packages/web"],
    ["hosts/registry"],
  ]);
  const lines = drawLayers(imports).split("\n");
  expect(lines.map((line) => /[\w/]+/.exec(line)?.[0]).filter(Boolean)).toEqual([
    "hosts/registry",
    "web",
    "rows",
    "jobs",
  ]);
});

test("every package but the benchmarks is in one layer, above what it imports", () => {
  const layers = layersOf(MAY_IMPORT);
  const layerOf = (name: string) => layers.findIndex((layer) => layer.includes(name));
  expect(layers.flat()).toHaveLength(Object.keys(MAY_IMPORT).length - 1);
  for (const [folder, targets] of Object.entries(MAY_IMPORT)) {
    for (const target of targets) expect(layerOf(target)).toBeLessThan(layerOf(folder));
  }
});

test("all lines of the picture have the same width", () => {
  const lines = drawLayers(MAY_IMPORT).split("\n");
  expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
});
