import { expect, test } from "vitest";
import { openExampleNames } from "../testing/example-names.ts";
import { describeInBrowser, faultsOf } from "../testing/page-checks.ts";
import { SESSION } from "../testing/signed-in-example.ts";

const FOREIGN = { protocol: "npm", name: "foreign" } as const;

/** Sends the cookie of the session, confirms what asks for it, and follows redirects. */
function answering({
  app,
  cookies,
  confirmed,
}: Pick<Awaited<ReturnType<typeof openExampleNames>>, "app" | "cookies" | "confirmed">) {
  return async (request: Request): Promise<Response> => {
    const headers = new Headers(request.headers);
    headers.set("cookie", `${SESSION}=${cookies.get(SESSION) ?? ""}`);
    headers.set("sec-fetch-site", "same-origin");
    headers.delete("origin");
    const answer = await confirmed(await app.fetch(new Request(request, { headers })));
    const location = answer.headers.get("location");
    if (location === null) return answer;
    return app.fetch(new Request(new URL(location, request.url), { headers }));
  };
}

describeInBrowser((open) => {
  test("an owner adds an owner, offers a name, accepts one, and adds a pipeline", async () => {
    const example = await openExampleNames({ home: "http://localhost:8080" });
    const { transfers, ports, ada, ownerships, policies } = example;
    const expiresAt = new Date(ports.rules.now().getTime() + 3_600_000);
    const offered = { id: "offer-1", name: FOREIGN, toId: ada.id, level: "manage" } as const;
    await transfers.offer({ ...offered, expiresAt }, { actor: "bob" });
    const answer = answering(example);
    await using opened = await open({ path: "manage/npm/@acme/app", answer });
    const { page, problems } = opened;
    await page.getByLabel("User or team").fill("builders");
    await page.getByLabel("Level", { exact: true }).selectOption("publish");
    await page.getByRole("button", { name: "Add the owner" }).click();
    await page.getByText("The owner has this level now.").waitFor();
    await page.getByLabel("Offer it to").fill("bob");
    await page.getByRole("button", { name: "Offer the name" }).click();
    await page.getByText("The name is offered").waitFor();
    await page.getByRole("link", { name: "GitHub Actions" }).click();
    await page.getByLabel("Repository", { exact: true }).fill("acme/app");
    await page.getByLabel("Workflow file").fill("publish.yml");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Add the pipeline" }).click();
    await page.getByText("The pipeline was added.").waitFor();
    await page.getByText("Lines for the build service", { exact: true }).click();
    expect(await page.getByText("run: npm publish").isVisible()).toBe(true);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Your names" }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Accept foreign" }).click();
    await page.getByText("The offer is accepted").waitFor();
    expect(problems).toEqual([]);
    expect((await policies.list()).map(({ patterns }) => patterns)).toEqual([["@acme/app"]]);
    expect(await ownerships.list(FOREIGN)).toMatchObject([
      { handle: "ada", level: "manage" },
      { handle: "bob", level: "manage" },
    ]);
  });
});
