import type { Holder } from "../accounts/ports.ts";
import { NpmError } from "../errors.ts";
import type { Call } from "./call.ts";
import { loginRequired, tooManyFailures } from "./call.ts";

/** Who asks; a token of any scope will do. */
export async function identify({ c, ports }: Call): Promise<Holder> {
  const identified = await ports.accounts.identify(c.req.raw, c.env);
  switch (identified.status) {
    case "known":
      return identified.holder;
    case "anonymous":
      throw loginRequired(c, identified.reason);
    case "denied":
      throw new NpmError("forbidden", identified.reason);
    case "limited":
      throw tooManyFailures(identified);
  }
}
