import { expect, test } from "vitest";
import { parseScope, parseTokenForm, parseTokenQuery } from "./token-request.ts";

test.each([
  ["repository:a/b:pull", "repository", "a/b", ["pull"]],
  ["repository:a/b:pull,push", "repository", "a/b", ["pull", "push"]],
  ["repository:host:5000/a/b:pull,push,pull", "repository", "host:5000/a/b", ["pull", "push"]],
  ["repository:a:*", "repository", "a", ["*"]],
  ["registry:catalog:*", "registry", "catalog", ["*"]],
  ["repository:a:", "repository", "a", []],
])("reads the scope %s", (text, type, name, actions) => {
  expect(parseScope(text)).toEqual({ type, name, actions });
});

test.each(["", "repository", "repository:a", ":a:pull", "a"])("knows no scope %j", (text) => {
  expect(parseScope(text)).toBeUndefined();
});

test("reads repeated scopes and scopes parted by spaces", () => {
  const query = new URLSearchParams(
    "account=u&client_id=docker&offline_token=true&service=s" +
      "&scope=repository%3Aa%3Apull&scope=repository:b:push%20repository:c:pull+nonsense",
  );
  expect(parseTokenQuery(query)).toEqual({
    grant: { type: "header" },
    offline: true,
    client: "docker",
    scopes: [
      { type: "repository", name: "a", actions: ["pull"] },
      { type: "repository", name: "b", actions: ["push"] },
      { type: "repository", name: "c", actions: ["pull"] },
    ],
  });
});

test.each([
  [
    "grant_type=password&username=u&password=p%26&access_type=offline&client_id=containerd",
    {
      grant: { type: "password", username: "u", password: "p&" },
      scopes: [],
      offline: true,
      client: "containerd",
    },
  ],
  [
    "grant_type=refresh_token&refresh_token=r&scope=repository:a:pull",
    {
      grant: { type: "refresh_token", refreshToken: "r" },
      scopes: [{ type: "repository", name: "a", actions: ["pull"] }],
      offline: false,
      client: "",
    },
  ],
  ["grant_type=password&username=u", undefined],
  ["grant_type=refresh_token", undefined],
  ["grant_type=client_credentials", undefined],
  ["", undefined],
])("reads the form %s", (form, expected) => {
  expect(parseTokenForm(new URLSearchParams(form))).toEqual(expected);
});
