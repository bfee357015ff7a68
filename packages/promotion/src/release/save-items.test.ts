import { expect, test } from "vitest";
import type { ReleaseItem } from "../model/release.ts";
import type { ReleaseParts } from "./release-parts.ts";
import { savesTogether } from "./save-items.ts";
import { createScriptedTarget, memberOf, openScripted } from "./scripted-target.test.support.ts";

function itemOf(id: string): ReleaseItem {
  const member = memberOf(id);
  return { id, target: "prod", member, state: "ready", wasThere: false, attempts: 0 };
}

/** Rows that note what each transaction saves, and refuse transactions with `refused`. */
function createRows(refused?: string) {
  const transactions: string[] = [];
  const saveItems = async (_: string, items: readonly ReleaseItem[]) => {
    transactions.push(items.map(({ id }) => id).join(" "));
    if (items.some(({ id }) => id === refused)) throw new Error(`${refused} is refused`);
  };
  return { rows: { saveItems }, transactions };
}

test("items that come together or during a transaction share the next one", async () => {
  const { rows, transactions } = createRows();
  const save = savesTogether(rows, "r1");
  const later = save(itemOf("a")).then(() => save(itemOf("e")));
  await Promise.all([later, ...["b", "c", "d"].map((id) => save(itemOf(id)))]);
  expect(transactions).toEqual(["a b c d", "e"]);
});

test("an item that cannot be saved loses no other", async () => {
  const { rows, transactions } = createRows("b");
  const save = savesTogether(rows, "r1");
  const saves = await Promise.allSettled(["a", "b", "c"].map((id) => save(itemOf(id))));
  expect(saves.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(transactions).toEqual(["a b c", "a", "b", "c"]);
  await save(itemOf("d"));
  expect(transactions.at(-1)).toBe("d");
});

test("a release of 8 packages to two targets saves its items in few transactions", async () => {
  const targets = [createScriptedTarget("one"), createScriptedTarget("two")];
  for (const { publisher } of targets) publisher.namesAtOnce = 4;
  const members = Array.from({ length: 8 }, (_, at) => memberOf(`p${at}`));
  const { parts, open, runToEnd, releases } = openScripted(targets, { members });
  const counts: number[] = [];
  const rows: ReleaseParts["rows"] = {
    ...releases.rows,
    saveItems(id, items) {
      counts.push(items.length);
      return releases.rows.saveItems(id, items);
    },
  };
  await open();
  expect((await runToEnd({ ...parts, rows })).state).toBe("released");
  const saved = counts.reduce((sum, count) => sum + count, 0);
  // Checked, carried, sending, published and pointed.
  expect(saved).toBe(5 * 2 * 8);
  expect(counts.length).toBeLessThanOrEqual(saved / 3);
});

test("asks for the targets once in each state", async () => {
  const { parts, open, runToEnd } = openScripted([createScriptedTarget("one")]);
  let asks = 0;
  const list = async () => {
    asks += 1;
    return parts.targets.list();
  };
  await open();
  await runToEnd({ ...parts, targets: { ...parts.targets, list } });
  // Open, frozen, checked, carrying, publishing, pointing.
  expect(asks).toBe(6);
});
