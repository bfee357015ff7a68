import { createJobRunner, loadActions } from "@sealhouse/administration/api";
import { createMemoryLeases, memoryJobs } from "@sealhouse/administration/testing";
import type { AdministrationParts } from "@sealhouse/administration";
import { createScreensApp } from "../actions/screens-app.ts";
import { SCREENS } from "../screens.ts";
import { browserOf } from "./administration-browser.ts";
import { openExampleAdministration } from "./example-administration.ts";
import type { ExampleOptions } from "./example-administration.ts";

/** All screens of administrators, with these parts, and a browser for them. */
export async function openScreens(more: object, options: ExampleOptions = {}) {
  const example = openExampleAdministration(options);
  const { site, rules, forms, confirm } = example.parts;
  const { policies } = example;
  const jobs = memoryJobs();
  const leases = createMemoryLeases();
  const rows = { administration: { jobs }, upstream: { rules: policies }, leases };
  const parts = { rows: async () => rows, ...more } as unknown as AdministrationParts;
  const runner = createJobRunner({ jobs, now: rules.now, stop: undefined, onFailure: () => {} });
  const actions = { load: loadActions, parts, runner };
  const app = await createScreensApp({ site, rules, forms, confirm, actions }, SCREENS);
  return { ...example, app, jobs, leases, ...browserOf({ ...example, app }) };
}

/** Answers the requests of a real browser as Ada's. */
export function answerOf({
  app,
  authorizationOf,
}: Pick<Awaited<ReturnType<typeof openScreens>>, "app" | "authorizationOf">) {
  return (request: Request) => {
    const { pathname, search } = new URL(request.url);
    return app.request(pathname + search, { headers: { authorization: authorizationOf("ada") } });
  };
}
