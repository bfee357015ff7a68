import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseScalar } from "@sealhouse/settings";
import type { ScalarKind, Setting } from "@sealhouse/settings";
import { ownExtensions } from "./extensions.ts";
import { configurationPage } from "./page.ts";
import { SETTINGS } from "./table.ts";

test("docs/configuration.md is what the table says, and our own extensions", async () => {
  const page = readFileSync(new URL("../../../../docs/configuration.md", import.meta.url), "utf8");
  expect(page).toBe(configurationPage(await ownExtensions()));
});

test.each(Object.entries<Setting>(SETTINGS))(
  "%s has a sentence and a readable default",
  (_, row) => {
    expect(row.about).toMatch(/^\S.*[.]$|^\S.*`\.$/);
    const { fallback, kind } = row;
    if (fallback === undefined || ["list", "named", "sections"].includes(kind.type)) return;
    expect(parseScalar(kind as ScalarKind, fallback)).toBeDefined();
  },
);
