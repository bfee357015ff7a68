import { createSettings, readSources } from "@sealhouse/settings";
import { expect, test } from "vitest";
import { parseOutgoingProxy } from "./outgoing-proxy.ts";
import { HTTP_SERVER_SETTINGS } from "./table.ts";

function parsed(env: Readonly<Record<string, string>>) {
  const { entries } = readSources({
    table: HTTP_SERVER_SETTINGS,
    environmentKey: "ASPNETCORE_ENVIRONMENT",
    env,
    args: [],
    folders: [],
    readFile: () => undefined,
  });
  const settings = createSettings(entries, { table: HTTP_SERVER_SETTINGS, env });
  const proxy = parseOutgoingProxy(settings);
  return {
    http: proxy?.http?.url.href,
    https: proxy?.https?.url.href,
    authorization: proxy?.https?.authorization,
    noProxy: proxy?.noProxy,
    problems: settings.problems,
  };
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
const PROXY = "http://proxy.example:3128/";
const NONE = { http: undefined, https: undefined };

test.each([
  [{}, NONE],
  [
    {
      Host__OutgoingProxy__Url: PROXY,
      Host__OutgoingProxy__Username: "ann",
      Host__OutgoingProxy__Password: "p:w",
      Host__OutgoingProxy__NoProxy__0: "a.example",
      NO_PROXY: "b.example",
      HTTPS_PROXY: "http://other.example",
    },
    { http: PROXY, https: PROXY, authorization: basic("ann:p:w"), noProxy: ["a.example"] },
  ],
  [
    { https_proxy: "http://a%40b:c%2Fd@proxy.example:3128/x", HTTPS_PROXY: "http://other.example" },
    { ...NONE, https: PROXY, authorization: basic("a@b:c/d"), noProxy: [] },
  ],
  [
    { HTTP_PROXY: "proxy.example:3128", NO_PROXY: "a.example,10.0.0.0/8" },
    { ...NONE, http: PROXY, noProxy: ["a.example", "10.0.0.0/8"] },
  ],
  [
    { ALL_PROXY: PROXY, https_proxy: "https://secure.example" },
    { http: PROXY, https: "https://secure.example/" },
  ],
  [{ HTTPS_PROXY: PROXY, Host__OutgoingProxy__Url: "" }, NONE],
])("%j has the proxies %j", (env, expected) => {
  expect(parsed(env)).toMatchObject({ ...expected, problems: [] });
});

test.each([
  [{ HTTPS_PROXY: "socks5://me:secret@proxy.example" }, "HTTPS_PROXY: this environment variable"],
  [{ Host__OutgoingProxy__Url: "http://me:secret@proxy.example" }, "Host__OutgoingProxy__Url: "],
  [
    { Host__OutgoingProxy__Url: PROXY, Host__OutgoingProxy__Username: "me" },
    "Host__OutgoingProxy__Username: needs Host__OutgoingProxy__Password as well",
  ],
  [
    { Host__OutgoingProxy__Password: "secret" },
    "Host__OutgoingProxy__Password: needs Host__OutgoingProxy__Url",
  ],
])("the settings refuse %j", (env, problem) => {
  const { problems } = parsed(env);
  expect(problems.join("\n")).toContain(problem);
  expect(problems.join("\n")).not.toContain("secret");
});
