import { StorageSettingError } from "@sealhouse/storage-providers";
import { expect, test } from "vitest";
import { partBytes } from "./object-writer.ts";
import { readS3Config } from "./s3-config.ts";

const SECRET = "not/a+real=secret";
const AWS = { Bucket: "acme-registry", Region: "eu-west-1" };
const KEY = { AccessKey: "AKIAEXAMPLE", SecretKey: SECRET };
const ROLE = "arn:aws:iam::123456789012:role/registry";

function configOf(
  settings: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
) {
  const values = Object.fromEntries(
    Object.entries(settings).map(([key, text]) => [`Storage__${key}`, text]),
  );
  return readS3Config({ values, named: (name) => environment[name] });
}

test("a bucket and its region are enough", () => {
  expect(configOf(AWS)).toEqual({
    bucket: "acme-registry",
    region: "eu-west-1",
    forcePathStyle: false,
    credentials: { type: "default" },
  });
});

test.each([
  [KEY, { type: "access-key", accessKeyId: "AKIAEXAMPLE", secretAccessKey: SECRET }],
  [{ UseInstanceProfile: "true" }, { type: "instance" }],
  [
    { UseInstanceProfile: "false", Profile: "registry" },
    { type: "profile", name: "registry" },
  ],
])("%j selects its credentials", (settings, credentials) => {
  expect(configOf({ ...AWS, ...settings }).credentials).toEqual(credentials);
});

test("a secret may have a name", () => {
  const settings = {
    ...AWS,
    AccessKey: "AKIAEXAMPLE",
    SecretKey: "other",
    SecretKeyConfigurationKey: "S3_SECRET",
  };
  const { credentials } = configOf(settings, { S3_SECRET: SECRET });
  expect(credentials).toMatchObject({ secretAccessKey: SECRET });
});

test("a role has a session of the name sealhouse", () => {
  const role = { arn: ROLE, sessionName: "sealhouse" };
  expect(configOf({ ...AWS, AssumeRoleArn: ROLE }).role).toEqual(role);
  const settings = {
    ...AWS,
    AssumeRoleArn: ROLE,
    RoleSessionName: "feed",
    StsServiceUrl: "http://s",
  };
  expect(configOf(settings).role).toEqual({ arn: ROLE, sessionName: "feed", stsUrl: "http://s" });
});

test("another store than AWS needs no region", () => {
  const config = configOf({ Bucket: "b-1", ServiceUrl: "http://localhost:9000" });
  expect(config).toMatchObject({ region: "us-east-1", endpoint: "http://localhost:9000" });
});

test.each([
  `s3://AKIAEXAMPLE:${SECRET}@acme-registry?region=eu-west-1`,
  `s3://AKIAEXAMPLE:${encodeURIComponent(SECRET)}@acme-registry/?Region=eu-west-1`,
])("the connection string %s has bucket, key and region", (text) => {
  expect(configOf({ ConnectionString: text })).toEqual(configOf({ ...AWS, ...KEY }));
});

test("a connection string may name another store, and have a name", () => {
  const text =
    "s3://acme-registry?endpoint=https%3A%2F%2Fs3.example&forcePathStyle=true&prefix=feeds/acme";
  const named = { ConnectionStrings__Artifacts: text };
  expect(configOf({ ConnectionStringName: "Artifacts" }, named)).toEqual({
    bucket: "acme-registry",
    region: "us-east-1",
    endpoint: "https://s3.example",
    forcePathStyle: true,
    prefix: "feeds/acme",
    credentials: { type: "default" },
  });
});

test.each([
  [{}, "Bucket", /is required/],
  [{ ...AWS, Bucket: "a/b" }, "Bucket", /is not a bucket name/],
  [{ Bucket: "acme-registry" }, "Region", /is required/],
  [{ ...AWS, Region: "eu west" }, "Region", /is not a region/],
  [{ ...AWS, AccessKey: "AKIAEXAMPLE" }, "SecretKey", /is required with Storage__AccessKey/],
  [{ ...AWS, SecretKey: SECRET }, "AccessKey", /is required with Storage__SecretKey/],
  [{ ...AWS, ...KEY, UseInstanceProfile: "true" }, "AccessKey", /contradicts/],
  [{ ...AWS, ...KEY, Profile: "registry" }, "Profile", /contradicts Storage__AccessKey/],
  [{ ...AWS, Profile: "registry", UseInstanceProfile: "true" }, "Profile", /contradicts/],
  [
    { ...AWS, SecretKeyConfigurationKey: "S3_SECRET" },
    "SecretKeyConfigurationKey",
    /no setting or environment variable S3_SECRET/,
  ],
  [{ ...AWS, AssumeRoleArn: "registry" }, "AssumeRoleArn", /is not the ARN of a role/],
  [{ ...AWS, AssumeRoleArn: ROLE, RoleSessionName: "a b" }, "RoleSessionName", /session name/],
  [{ ...AWS, RoleSessionName: "feed" }, "RoleSessionName", /has no effect/],
  [{ ...AWS, StsServiceUrl: "http://sts" }, "StsServiceUrl", /has no effect/],
  [{ ConnectionString: "https://s3.example" }, "ConnectionString", /is not a connection string/],
  [{ ConnectionString: "s3://key@bucket" }, "ConnectionString", /an access key without secret/],
  [{ ConnectionString: `s3://:${SECRET}@bucket` }, "ConnectionString", /without its access key/],
  [{ ConnectionString: "s3://key:100%@bucket" }, "ConnectionString", /percent sign/],
  [{ ConnectionString: "s3://bucket?acl=x" }, "ConnectionString", /unknown parameter "acl"/],
  [{ ConnectionString: "s3://bucket?endpoint=s3.example" }, "ConnectionString", /not an http URL/],
  [{ ConnectionString: "s3://bucket?forcePathStyle=1" }, "ConnectionString", /true and false/],
  [{ ConnectionString: "s3://bucket", ...AWS }, "Bucket", /contradicts Storage__ConnectionString/],
])("%j is an error of its key", (settings, key, words) => {
  const failure = failureOf(() => configOf(settings));
  expect(failure.key).toBe(`Storage__${key}`);
  expect(failure.message).toMatch(words);
  expect(failure.message).not.toContain(SECRET);
});

test("10,000 parts hold the largest object of S3, and no part is larger than 5 GiB", () => {
  const sizes = Array.from({ length: 10_000 }, (_, index) => partBytes(index));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(5 * 1024 ** 4);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(5 * 1024 ** 3);
});

function failureOf(read: () => unknown): StorageSettingError {
  try {
    read();
  } catch (error) {
    if (error instanceof StorageSettingError) return error;
  }
  throw new Error("The settings were accepted.");
}
