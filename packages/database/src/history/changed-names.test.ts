import type { NewEvent } from "@sealhouse/events";
import { expect, test } from "vitest";
import { changedBy } from "./changed-names.ts";

test.each<[Pick<NewEvent, "type" | "subject" | "detail">, ReturnType<typeof changedBy>]>([
  [
    { type: "package.published", subject: "nuget/Acme.Widgets@1.0.0-RC1" },
    { protocol: "nuget", names: ["acme.widgets"], items: ["1.0.0-rc1", ""] },
  ],
  [
    { type: "package.published", subject: "npm/@acme/w@1.0.0", detail: { tags: ["latest"] } },
    { protocol: "npm", names: ["@acme/w"], items: ["1.0.0", "latest", ""] },
  ],
  [
    { type: "package.tagged", subject: "npm/w", detail: { distTag: "next", version: "1.0.0" } },
    { protocol: "npm", names: ["w"], items: ["next", ""] },
  ],
  [
    { type: "package.deleted", subject: "npm/w@1.0.0" },
    { protocol: "npm", names: ["w"] },
  ],
  [
    { type: "package.published", subject: "oci/team/app:1.0" },
    { protocol: "oci", names: ["team/app"], items: ["1.0"] },
  ],
  [
    { type: "package.deleted", subject: "oci/team/app@sha256:00" },
    { protocol: "oci", names: ["team/app"] },
  ],
  [{ type: "package.signed", subject: "nuget/Acme.Widgets@1.0.0" }, undefined],
  [{ type: "token.created", subject: "token/1" }, undefined],
])("%j changes %j", (event, changed) => {
  expect(changedBy(event)).toEqual(changed);
});
