import { StorageSettingError } from "@sealhouse/storage-providers";
import { expect, test } from "vitest";
import { readGoogleConfig } from "./google-config.ts";

function configOf(
  settings: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
) {
  const values = Object.fromEntries(
    Object.entries(settings).map(([key, text]) => [`Storage__${key}`, text]),
  );
  return readGoogleConfig({ values, named: (name) => environment[name] });
}

test("the name of the bucket is enough", () => {
  expect(configOf({ Bucket: "acme" })).toEqual({ bucket: "acme" });
});

test("every setting has an effect", () => {
  const settings = { Bucket: "acme", Prefix: "feeds", CredentialsPath: "/etc/account.json" };
  expect(configOf(settings)).toEqual({
    bucket: "acme",
    prefix: "feeds",
    credentialsPath: "/etc/account.json",
  });
});

test.each([
  ["gs://acme", { bucket: "acme" }],
  ["gs://acme/", { bucket: "acme" }],
  ["gs://acme?prefix=feeds%2Facme", { bucket: "acme", prefix: "feeds/acme" }],
  ["gs://acme?credentialspath=/etc/a.json", { bucket: "acme", credentialsPath: "/etc/a.json" }],
  ["gs://acme?emulatorHost=localhost:1", { bucket: "acme", emulator: "http://localhost:1" }],
])("the connection string %s has all values", (text, config) => {
  expect(configOf({ ConnectionString: text })).toEqual(config);
  expect(configOf({ ConnectionStringName: "Bucket" }, { Bucket: text })).toEqual(config);
});

test("settings may repeat the connection string", () => {
  expect(configOf({ ConnectionString: "gs://acme", Bucket: "acme", Prefix: "feeds" })).toEqual({
    bucket: "acme",
    prefix: "feeds",
  });
});

test.each([
  [{ UseEmulator: "true" }, {}, "http://localhost:4443"],
  [{ UseEmulator: "true" }, { STORAGE_EMULATOR_HOST: "emulator:8080" }, "http://emulator:8080"],
  [{ EmulatorHost: "http://emulator:1/" }, {}, "http://emulator:1"],
  [{ EmulatorHost: "emulator:1", UseEmulator: "false" }, {}, undefined],
  [{}, { STORAGE_EMULATOR_HOST: "emulator:8080" }, undefined],
])("%j with the environment %j uses the emulator %s", (settings, environment, emulator) => {
  expect(configOf({ Bucket: "acme", ...settings }, environment).emulator).toBe(emulator);
});

test.each([
  [{}, "Bucket", /is required/],
  [{ Bucket: "Acme Bucket" }, "Bucket", /is not a bucket name/],
  [{ ConnectionString: "s3://acme" }, "ConnectionString", /gs:\/\/bucket/],
  [{ ConnectionString: "gs://acme?key=x" }, "ConnectionString", /unknown parameter "key"/],
  [{ ConnectionString: "gs://acme", Bucket: "other" }, "Bucket", /contradicts/],
  [{ ConnectionStringName: "Missing" }, "ConnectionStringName", /ConnectionStrings__Missing/],
  [{ Bucket: "acme", EmulatorHost: "::" }, "EmulatorHost", /is not an address/],
  [
    { Bucket: "acme", UseEmulator: "true", CredentialsPath: "a.json" },
    "CredentialsPath",
    /contradicts the emulator/,
  ],
])("%j is an error of its key", (settings, key, words) => {
  const failure = failureOf(() => configOf(settings));
  expect(failure.key).toBe(`Storage__${key}`);
  expect(failure.message).toMatch(words);
});

function failureOf(read: () => unknown): StorageSettingError {
  try {
    read();
  } catch (error) {
    if (error instanceof StorageSettingError) return error;
  }
  throw new Error("The settings were accepted.");
}
