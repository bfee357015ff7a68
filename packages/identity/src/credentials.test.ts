import { expect, test } from "vitest";
import { readCredentials } from "./credentials.ts";

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
const none = { type: "none" };
const unreadable = { type: "unreadable" };
const secret = (value: string, via: string, username?: string) => ({
  type: "secret",
  secret: value,
  via,
  ...(username !== undefined && { username }),
});

test.each([
  ["nothing", {}, none],
  ["a NuGet key", { "X-NuGet-ApiKey": "t0" }, secret("t0", "api-key")],
  [
    "a NuGet key beside Basic",
    { "x-nuget-apikey": "t0", authorization: basic("u:t1") },
    secret("t0", "api-key"),
  ],
  ["an empty NuGet key", { "X-NuGet-ApiKey": " " }, none],
  [
    "an empty NuGet key beside Basic",
    { "x-nuget-apikey": "", authorization: basic("u:t1") },
    secret("t1", "basic", "u"),
  ],
  ["Bearer", { authorization: "Bearer t0" }, secret("t0", "bearer")],
  ["a scheme in any letter case", { authorization: "bEaReR   t0" }, secret("t0", "bearer")],
  ["an empty Bearer", { authorization: "Bearer " }, none],
  ["Basic", { authorization: basic("somebody:t0") }, secret("t0", "basic", "somebody")],
  ["Basic without a user", { authorization: basic(":t0") }, secret("t0", "basic", "")],
  [
    "Basic with a colon in the password",
    { authorization: basic("u:a:b") },
    secret("a:b", "basic", "u"),
  ],
  ["Basic with the token as user", { authorization: basic("t0:") }, secret("t0", "basic", "t0")],
  ["the empty Basic of .NET", { authorization: "Basic Og==" }, none],
  ["Basic and nothing", { authorization: "Basic" }, none],
  ["Basic that is no base64", { authorization: "Basic %%%" }, unreadable],
  ["Basic without a colon", { authorization: basic("t0") }, unreadable],
  ["a huge Basic", { authorization: `Basic ${"A".repeat(20_000)}` }, unreadable],
  ["a huge Bearer", { authorization: `Bearer ${"A".repeat(20_000)}` }, unreadable],
  ["a scheme nobody asked for", { authorization: "Negotiate abc" }, none],
])("reads %s", (_, headers, credentials) => {
  expect(readCredentials(new Headers(headers))).toEqual(credentials);
});
