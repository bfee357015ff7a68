import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openPfx } from "./pfx.ts";
import type { PfxVector } from "../testing/pfx-vectors.ts";
import { makePfxVectors } from "../testing/pfx-vectors.ts";
import { createTestCredential } from "../testing/test-credential.ts";

// PFX files that were recorded on 2026-11-23. `UPDATE=1` makes them again.

const file = new URL("../../../../vectors/certificates/pfx.json", import.meta.url);
const credential = await createTestCredential({
  notBefore: new Date("2026-01-01T00:00:00Z"),
  notAfter: new Date("2036-01-01T00:00:00Z"),
});
if (process.env["UPDATE"] === "1") {
  const made = await makePfxVectors(credential);
  writeFileSync(file, `${JSON.stringify(made, undefined, 2)}\n`);
}
const vectors = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, PfxVector>>;

test.each(Object.entries(vectors))(
  "the recorded PFX file opens, and its chain is in order: %s",
  async (_name, { pfx, password }) => {
    const { key, chain } = await openPfx(Buffer.from(pfx, "base64"), password);
    expect(key.equals(credential.key)).toBe(true);
    expect(chain.map((der) => Buffer.from(der).toString("base64"))).toEqual(
      credential.chain.map((der) => Buffer.from(der).toString("base64")),
    );
    await expect(openPfx(Buffer.from(pfx, "base64"), `${password}!`)).rejects.toThrow(
      /the password does not open it/,
    );
  },
);
