import { loadActions } from "@sealhouse/administration/api";
import type { AdministrationParts } from "@sealhouse/administration";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { openExampleAdministration } from "../testing/example-administration.ts";
import { describeInBrowser, faultsOf } from "../testing/page-checks.ts";
import { createActionApp } from "./action-app.ts";

const PAGES = "administration/actions";
/** Each is one kind of form: short, long, with choices and lists, and of secrets. */
const FORMS = ["rules.add", "targets.add", "webhooks.add", "tokens.create", "users.add"];
const actions = await loadActions();

function answerAs() {
  const { parts, authorizationOf } = openExampleAdministration();
  const { rules, site, forms, confirm } = parts;
  const runner = { start: () => Promise.reject(new Error("No form is sent.")) };
  const opened = { load: async () => actions, parts: {} as AdministrationParts, runner };
  const app = new Hono().route(
    "/",
    createActionApp({ site, rules, forms, confirm, actions: opened }),
  );
  return (request: Request) => {
    const headers = { authorization: authorizationOf("ada") };
    return app.request(new URL(request.url).pathname, { headers });
  };
}

describeInBrowser((open) => {
  const paths = FORMS.map((id) => `${PAGES}/${id}`);
  test.each([PAGES, "api", ...paths])(
    "%s is accessible and never scrolls sideways",
    async (path) => {
      await using opened = await open({ path, answer: answerAs() });
      const { page, problems, requests } = opened;
      expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
      if (paths.includes(path))
        expect(await page.getByRole("main").locator("form").count()).toBe(1);
      expect(await faultsOf(page)).toEqual([]);
      expect(problems).toEqual([]);
      expect(requests).toHaveLength(1);
    },
  );
});
