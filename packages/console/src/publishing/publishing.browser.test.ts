import { expect, test } from "vitest";
import { examplePublishing } from "../testing/example-publishing.ts";
import { answerOf, openScreens } from "../testing/example-screens.ts";
import { describeInBrowser, faultsOf } from "../testing/page-checks.ts";

const TARGETS = "administration/publish-targets";

describeInBrowser((open) => {
  test.each([
    TARGETS,
    `${TARGETS}/new`,
    `${TARGETS}/prod-npm`,
    `${TARGETS}/held`,
    `${TARGETS}/partner`,
    `${TARGETS}/prod-npm/token`,
    "administration/package-groups",
    "administration/package-groups/web",
    "administration/package-groups/new",
    "administration/releases",
    "administration/releases/00000000-0000-4000-8000-00000000000a",
  ])("%s is accessible and never scrolls sideways", async (path) => {
    const answer = answerOf(await openScreens(examplePublishing().parts));
    await using opened = await open({ path, answer });
    const { page, problems } = opened;
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
    expect(await faultsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
