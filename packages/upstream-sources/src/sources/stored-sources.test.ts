import { randomBytes } from "node:crypto";
import { openKeyRing } from "@sealhouse/identity";
import { expect, test } from "vitest";
import { createMemoryMirrorPorts } from "../testing/index.ts";
import { createSource } from "./create-source.ts";
import { openStoredSources } from "./stored-sources.ts";

const caller = { actor: "ada" };
const source = createSource({
  name: "npmjs",
  protocol: "npm",
  url: "https://registry.example/",
  from: "database",
  credentials: { type: "bearer", token: "secret" },
  settings: { allow: ["@acme/*"], revalidateAfterMs: 1000 },
});

test("a source comes back with its credentials, which the row does not show", async () => {
  const { sources: rows } = createMemoryMirrorPorts();
  const stored = openStoredSources(rows, await openKeyRing({ random: randomBytes }));
  await stored.put(source, caller);
  expect(await stored.list()).toEqual([source]);
  const [row] = await rows.list();
  expect(Buffer.from(row?.credentials ?? []).toString("latin1")).not.toContain("secret");
  expect(JSON.parse(row?.settings ?? "")).toEqual({ allow: ["@acme/*"], revalidateAfterMs: 1000 });
});

test("a source stays in the list when a lost key makes its credentials unreadable", async () => {
  const { sources: rows } = createMemoryMirrorPorts();
  await openStoredSources(rows, await openKeyRing({ random: randomBytes })).put(source, caller);
  const unreadable: string[] = [];
  const other = await openKeyRing({ random: randomBytes });
  const stored = openStoredSources(rows, other, (name) => unreadable.push(name));
  const { credentials: _, ...rest } = source;
  expect(await stored.list()).toEqual([rest]);
  expect(unreadable).toEqual(["npmjs"]);
});
