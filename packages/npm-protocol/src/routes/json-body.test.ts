import { expect, test } from "vitest";
import { registry } from "../testing/registry.ts";

const ENDPOINTS = [
  ["PUT", "/demo"],
  ["PUT", "/demo/-rev/1-0"],
  ["PUT", "/-/package/demo/dist-tags/next"],
  ["POST", "/-/package/demo/dist-tags/next"],
  ["POST", "/-/package/demo/access"],
  ["POST", "/-/package/demo/trust"],
  ["POST", "/-/stage/package/demo"],
  ["PUT", "/-/pnpm/v1/publish"],
  ["PUT", "/-/pnpr/v0/publish"],
  ["POST", "/-/npm/v1/tokens"],
  ["PUT", "/-/user/org.couchdb.user:alice"],
  ["POST", "/-/npm/v1/security/advisories/bulk"],
  ["POST", "/-/npm/v1/security/audits"],
  ["POST", "/-/npm/v1/security/audits/quick"],
] as const;

/** Types that browsers send across origins without a preflight, and no type. */
const PLAIN = [
  "text/plain",
  "text/plain; x=application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=application/json",
  "application/jsonx",
  "",
];
const JSON_TYPES = [
  "application/json",
  "application/json; charset=utf-8",
  "application/json;charset=UTF-8",
  "Application/JSON",
  "application/vnd.npm.v1+json",
];

test.each(ENDPOINTS)("%s %s requires a JSON content type", async (...endpoint) => {
  const { app } = registry();
  const statusFor = async (type: string): Promise<number> => {
    const [method, path] = endpoint;
    // A Blob without a type is sent without a content type.
    const body = new Blob(["[]"]);
    const headers = type === "" ? new Headers() : { "content-type": type };
    return (await app.request(`/npm${path}`, { method, headers, body })).status;
  };
  for (const type of PLAIN) expect([type, await statusFor(type)]).toEqual([type, 415]);
  for (const type of JSON_TYPES) expect(await statusFor(type), type).not.toBe(415);
});
