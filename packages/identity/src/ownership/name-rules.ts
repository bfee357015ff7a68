import type { Caller, Protocol } from "@sealhouse/request-types";
import type { NewNames } from "./name-standing.ts";
import type { Ownerships } from "./ports.ts";

/** A request that owners would refuse. */
export type OwnerRefusal = {
  readonly caller: Caller;
  readonly protocol: Protocol;
  readonly name: string;
  readonly action: string;
  /** A sentence. */
  readonly reason: string;
};

/** Settings and ports of the owners of names. `report` allows what `enforce` refuses. */
export type NameRules = {
  readonly mode: "report" | "enforce";
  readonly newNames: NewNames;
  readonly ownerships: Pick<Ownerships, "standing">;
  /** Called in the mode `report`; must not throw. */
  readonly report: (refusal: OwnerRefusal) => void;
};
