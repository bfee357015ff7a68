import { expect, test } from "vitest";
import { answerOf } from "../testing/example-screens.ts";
import { openKeys } from "../testing/example-keys.ts";
import { describeInBrowser, faultsOf } from "../testing/page-checks.ts";

const KEYS = "administration/api-keys";

describeInBrowser((open) => {
  test.each(["list", "one", "new", "replace"])("%s is accessible at every width", async (kind) => {
    const keys = await openKeys();
    const long = { patterns: ["@acme/*", `${"no-break".repeat(20)}.*`], networks: ["10.0.0.0/8"] };
    const { id } = await keys.add("n".repeat(80), { ...long, lastUsedFrom: "2001:db8::1" });
    const paths: Readonly<Record<string, string>> = {
      list: KEYS,
      one: `${KEYS}/${id}`,
      new: `${KEYS}/new?scopes=read,publish`,
      replace: `${KEYS}/${id}/replace`,
    };
    await using opened = await open({ path: paths[kind] ?? "", answer: answerOf(keys) });
    expect(await faultsOf(opened.page)).toEqual([]);
    expect(opened.problems).toEqual([]);
  });
});
