import { expect, test } from "vitest";
import { parseRepositoryName } from "../repository-name.ts";
import { createUploadIds } from "./upload-ids.ts";

const owner = { repository: parseRepositoryName("team/app"), owner: "token-1" };
const START = Date.UTC(2026, 2, 1);

function setUp(key = "shared") {
  const clock = { now: START };
  return { clock, ids: createUploadIds({ key: Buffer.from(key), now: () => clock.now }) };
}

test("an instance with the same key resumes an upload of another instance", () => {
  const [{ ids }, { ids: other }] = [setUp(), setUp()];
  const plain = ids.begin(owner);
  const hinted = ids.begin(owner, "sha512");
  expect(plain).toMatchObject({ ...owner, offset: 0, isNew: true });
  expect(other.find(plain.id, owner)).toEqual(plain);
  expect(other.find(hinted.id, owner)).toEqual(hinted);
});

test.each([
  ["somebody else", { ...owner, owner: "token-2" }],
  ["another repository", { ...owner, repository: parseRepositoryName("team/other") }],
])("finds nothing for %s", (_, asking) => {
  const { ids } = setUp();
  expect(ids.find(ids.begin(owner).id, asking)).toBeUndefined();
});

test("finds nothing by an id that was made with another key, was changed or is none", () => {
  const { ids } = setUp();
  const { id } = ids.begin(owner);
  expect(setUp("other").ids.find(id, owner)).toBeUndefined();
  for (let index = 0; index < id.length; index += 1) {
    const changed = `${id.slice(0, index)}${id[index] === "0" ? "1" : "0"}${id.slice(index + 1)}`;
    expect(ids.find(changed, owner)).toBeUndefined();
  }
  for (const none of ["", "0".repeat(36), `${id}0`, id.toUpperCase().replace(/\d/g, "A")]) {
    expect(ids.find(none, owner)).toBeUndefined();
  }
});

test("never gives an id twice, and none that is older than asked for", () => {
  const { ids, clock } = setUp();
  const made = Array.from({ length: 1_000 }, () => ids.begin(owner).id);
  expect(new Set(made).size).toBe(1_000);
  clock.now += 60_000;
  expect(ids.find(made[0] ?? "", owner, new Date(START))).toBeDefined();
  expect(ids.find(made[0] ?? "", owner, new Date(START + 1_000))).toBeUndefined();
});

test("an upload that ended is gone; so is the oldest memory of that, when there are many", () => {
  const { ids } = setUp();
  const [first, second] = [ids.begin(owner).id, ids.begin(owner).id];
  for (const id of [first, second]) ids.end(id);
  expect(ids.find(second, owner)).toBeUndefined();
  for (let more = 0; more < 9_999; more += 1) ids.end(`other ${more}`);
  expect(ids.find(first, owner)).toBeDefined();
  expect(ids.find(second, owner)).toBeUndefined();
});

test("lets one at a time write, and the next when it is done or has failed", async () => {
  const { ids } = setUp();
  const gate = Promise.withResolvers<string>();
  const first = ids.alone("a", () => gate.promise);
  await expect(ids.alone("a", async () => "second")).rejects.toMatchObject({ status: 409 });
  expect(await ids.alone("b", async () => "other")).toBe("other");
  gate.reject(new Error("torn"));
  await expect(first).rejects.toThrow("torn");
  expect(await ids.alone("a", async () => "third")).toBe("third");
});
