import * as catalogFirst from "./catalog/Migration20261121000000_first.ts";
import * as nugetComplete from "./catalog/Migration20261122000000_nuget_complete.ts";
import * as identityFirst from "./identity/Migration20261121000000_first.ts";

const FIRST = "Migration20261121000000_first";
const NUGET_COMPLETE = "Migration20261122000000_nuget_complete";

/** In the order of `names.ts`. */
export const MIGRATIONS = {
  catalog: [
    { name: FIRST, class: catalogFirst.Migration20261121000000_first },
    { name: NUGET_COMPLETE, class: nugetComplete.Migration20261122000000_nuget_complete },
  ],
  identity: [{ name: FIRST, class: identityFirst.Migration20261121000000_first }],
};
