import { expect, test } from "vitest";
import { redirectWarnings } from "./redirect-warnings.ts";

const storage = { type: "FileSystem", path: "/data", redirectsDownloads: true } as const;
const feed = {
  publicBaseUrls: ["https://packages.example:8443/feed"],
  npm: { hostNames: ["npm.example"] },
};
const storeAt = (url: string) => ({ presign: () => Promise.resolve(`${url}/object?signature=1`) });

test.each(["https://packages.example:9000", "http://npm.example"])(
  "warns of a storage at %s, whose host name is the registry's",
  async (url) => {
    const warnings = await redirectWarnings({ storage, feed }, storeAt(url));
    expect(warnings).toEqual([expect.stringContaining(new URL(url).hostname)]);
    expect(warnings).toEqual([expect.stringContaining("Storage__RedirectDownloads")]);
  },
);

test("does not warn of another host name, without redirects or presigned URLs", async () => {
  const same = storeAt("https://packages.example");
  const off = { ...storage, redirectsDownloads: false };
  const refused = { presign: () => Promise.reject(new Error("no credentials")) };
  expect(await redirectWarnings({ storage, feed }, storeAt("https://s3.example"))).toEqual([]);
  expect(await redirectWarnings({ storage: off, feed }, same)).toEqual([]);
  expect(await redirectWarnings({ storage, feed }, {})).toEqual([]);
  expect(await redirectWarnings({ storage, feed }, refused)).toEqual([]);
});
