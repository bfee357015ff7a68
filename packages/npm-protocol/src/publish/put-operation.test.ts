import { expect, test } from "vitest";
import { putOperationOf } from "./put-operation.ts";

test.each([
  ["a publish", { versions: {}, users: {}, _attachments: { "a.tgz": {} } }, false, "publish"],
  ["no publish of a revision", { versions: {}, _attachments: { a: {} } }, true, "unknown"],
  ["a star of npm 11", { _id: "a", _rev: "1-a", users: { alice: true } }, false, "star"],
  ["an owner change", { _id: "a", _rev: "1-a", maintainers: [{ name: "a" }] }, true, "owner"],
  ["an unpublish", { versions: {}, "dist-tags": {} }, true, "unpublish"],
  ["a deprecation", { versions: {}, users: {}, _attachments: {} }, false, "deprecate"],
  ["nothing", {}, false, "unknown"],
  ["versions that are no object", { versions: [] }, false, "unknown"],
])("knows %s", (_, body, onRevision, operation) => {
  expect(putOperationOf(body, onRevision)).toBe(operation);
});
