import * as catalogFirst from "./catalog/Migration20261121000000_first.ts";
import * as identityFirst from "./identity/Migration20261121000000_first.ts";

const FIRST = "Migration20261121000000_first";

/** In the order of `names.ts`. */
export const MIGRATIONS = {
  catalog: [{ name: FIRST, class: catalogFirst.Migration20261121000000_first }],
  identity: [{ name: FIRST, class: identityFirst.Migration20261121000000_first }],
};
