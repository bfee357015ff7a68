import { expect, test } from "vitest";
import { createSettings, readSources } from "@sealhouse/settings";
import { parseSigning } from "./parse-signing.ts";
import { SIGNING_SETTINGS } from "./table.ts";

const SECTION = "Signing__StoredCertificate__";
const THUMBPRINT = "0123456789abcdef0123456789ABCDEF01234567";
const STORE = { Thumbprint: THUMBPRINT, StoreName: "My", StoreLocation: "currentuser" };

function parsed(own: Record<string, string>, more: Record<string, string> = {}) {
  const env = {
    Signing__Mode: "StoredCertificate",
    ...Object.fromEntries(Object.entries(own).map(([key, text]) => [SECTION + key, text])),
    ...more,
  };
  const sources = { environmentKey: "App__Environment", args: [], folders: [] };
  const table = SIGNING_SETTINGS;
  const { entries } = readSources({ ...sources, table, env, readFile: () => undefined });
  const settings = createSettings(entries, { table, env });
  const signing = parseSigning(settings, { extensions: [], serverName: "Feed" });
  return { signing, problems: settings.problems };
}

test.each([
  [
    { FilePath: "/srv/feed.pfx", Password: "hush" },
    { type: "file", path: "/srv/feed.pfx" },
    { password: "hush", hash: "SHA256" },
  ],
  [
    { FilePath: "feed.pem", KeyPath: "feed.key", HashAlgorithm: "sha512" },
    { type: "file", path: "feed.pem", keyPath: "feed.key" },
    { password: "", hash: "SHA512" },
  ],
  [
    STORE,
    { type: "store", thumbprint: THUMBPRINT.toUpperCase(), storeName: "My" },
    { source: { storeLocation: "CurrentUser" } },
  ],
  [
    { ...STORE, Thumbprint: `\u200e${THUMBPRINT.replaceAll(/../g, "$& ")}` },
    { type: "store", thumbprint: THUMBPRINT.toUpperCase() },
    {},
  ],
])("%j", (own, source, rest) => {
  const { signing, problems } = parsed(own);
  expect(problems).toEqual([]);
  expect(signing).toMatchObject({ mode: "StoredCertificate", source, ...rest });
});

test("the password that is kept elsewhere wins", () => {
  const secret = { Signing__CertificatePasswordSecret: "FEED_PASSWORD", FEED_PASSWORD: "kept" };
  const { signing } = parsed({ FilePath: "feed.pfx", Password: "shown" }, secret);
  expect(signing).toMatchObject({ password: "kept" });
  const missing = { Signing__CertificatePasswordSecret: "FEED_PASSWORD" };
  expect(parsed({ FilePath: "feed.pfx" }, missing).problems).toEqual([
    expect.stringMatching(/^Signing__CertificatePasswordSecret: .*named FEED_PASSWORD/),
  ]);
});

test.each([
  [{}, [/FilePath: is required: .*or in its place all of Thumbprint, StoreName, StoreLocation/]],
  [
    { FilePath: "feed.pfx", ...STORE },
    [/FilePath: is set, and so is .*Thumbprint, .*StoreName, .*StoreLocation; leave one/],
  ],
  [{ FilePath: "feed.pfx", StoreName: "My" }, [/FilePath: is set, and so is .*StoreName;/]],
  [
    { StoreName: "My" },
    [
      /Thumbprint: is required in addition to StoreName/,
      /StoreLocation: is required in addition to StoreName/,
    ],
  ],
  [
    { Thumbprint: THUMBPRINT, StoreLocation: "CurrentUser" },
    [/StoreName: is required in addition to Thumbprint and StoreLocation/],
  ],
  [{ ...STORE, KeyPath: "feed.key" }, [/KeyPath: is the key of a certificate in a file/]],
  [{ ...STORE, Thumbprint: "abc" }, [/Thumbprint: "abc" is not allowed; .*40 hex digits/]],
  [{ ...STORE, StoreName: "../x" }, [/StoreName: "..\/x" is not allowed/]],
  [{ ...STORE, StoreLocation: "Moon" }, [/StoreLocation: "Moon" is not allowed/]],
  [{ FilePath: "feed.pfx", HashAlgorithm: "SHA1" }, [/HashAlgorithm: "SHA1" is not allowed/]],
])("%j is refused, with the keys to correct", (own, words) => {
  const { problems } = parsed(own);
  expect(problems).toEqual(words.map((word) => expect.stringMatching(word)));
});
