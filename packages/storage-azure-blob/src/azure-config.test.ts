import { StorageSettingError } from "@sealhouse/storage-providers";
import { expect, test } from "vitest";
import { readAzureConfig } from "./azure-config.ts";

const KEY = "bm90IGEgcmVhbCBrZXkh";
const ACCOUNT = { AccountName: "acme", AccessKey: KEY };
const IDENTITY = { AccountName: "acme", UseInstanceProfile: "true" };

function configOf(
  settings: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
) {
  const values = Object.fromEntries(
    Object.entries(settings).map(([key, text]) => [`Storage__${key}`, text]),
  );
  return readAzureConfig({ values, named: (name) => environment[name] });
}

test("the name of the account and its key are enough", () => {
  expect(configOf(ACCOUNT)).toEqual({
    account: {
      type: "access-key",
      url: "https://acme.blob.core.windows.net",
      name: "acme",
      accessKey: KEY,
    },
    container: "packages",
  });
});

test("a service address replaces that of the public cloud", () => {
  const url = "https://acme.blob.core.usgovcloudapi.net";
  expect(configOf({ ...ACCOUNT, ServiceUrl: url }).account).toMatchObject({ url });
});

test.each([
  [IDENTITY, { type: "managed-identity", url: "https://acme.blob.core.windows.net" }],
  [
    { ...IDENTITY, ManagedIdentityClientId: "id" },
    { type: "managed-identity", clientId: "id" },
  ],
])("%j selects a managed identity", (settings, account) => {
  expect(configOf(settings).account).toMatchObject(account);
});

test("a connection string may have a name", () => {
  const named = (name: string) => configOf({ ConnectionStringName: "Blobs" }, { [name]: "text" });
  const account = { type: "connection-string", key: "Storage__ConnectionStringName", text: "text" };
  expect(named("ConnectionStrings__Blobs").account).toEqual(account);
  expect(named("Blobs").account).toEqual(account);
});

test("a connection string takes precedence over its name", () => {
  const { account } = configOf({ ConnectionString: "text", ConnectionStringName: "Blobs" });
  expect(account).toMatchObject({ key: "Storage__ConnectionString", text: "text" });
});

test.each([
  [{}, "AccountName", /is required/],
  [{ AccountName: "acme" }, "AccessKey", /is required, or Storage__UseInstanceProfile=true/],
  [{ AccessKey: KEY, ServiceUrl: "https://a.example" }, "AccountName", /is required with/],
  [{ ...ACCOUNT, AccountName: "Acme Blobs" }, "AccountName", /is not an account name/],
  [
    { ...ACCOUNT, AccessKey: "not base64!" },
    "AccessKey",
    /^is not a key: the value is not base64$/,
  ],
  [{ ...ACCOUNT, UseInstanceProfile: "true" }, "AccessKey", /contradicts/],
  [{ ...ACCOUNT, ManagedIdentityClientId: "id" }, "ManagedIdentityClientId", /has no effect/],
  [{ ...ACCOUNT, Container: "Packages" }, "Container", /is not a container name/],
  [{ ...ACCOUNT, Container: "a--b" }, "Container", /is not a container name/],
  [
    { ConnectionStringName: "Blobs" },
    "ConnectionStringName",
    /no setting ConnectionStrings__Blobs/,
  ],
  [{ ConnectionString: "x", ...ACCOUNT }, "AccountName", /contradicts Storage__ConnectionString/],
  [{ ConnectionString: "x", UseInstanceProfile: "true" }, "UseInstanceProfile", /contradicts/],
])("%j is an error of its key", (settings, key, words) => {
  const failure = failureOf(() => configOf(settings));
  expect(failure.key).toBe(`Storage__${key}`);
  expect(failure.message).toMatch(words);
  expect(failure.message).not.toContain(KEY);
});

function failureOf(read: () => unknown): StorageSettingError {
  try {
    read();
  } catch (error) {
    if (error instanceof StorageSettingError) return error;
  }
  throw new Error("The settings were accepted.");
}
