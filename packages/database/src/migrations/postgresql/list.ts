import * as catalogFirst from "./catalog/Migration20261121000000_first.ts";
import * as nugetComplete from "./catalog/Migration20261122000000_nuget_complete.ts";
import * as nugetSearch from "./catalog/Migration20261122010000_nuget_search.ts";
import * as dropUnread from "./catalog/Migration20261122020000_drop_unread.ts";
import * as provenance from "./catalog/Migration20261123000000_provenance.ts";
import * as npmComplete from "./catalog/Migration20261123010000_npm_complete.ts";
import * as ociComplete from "./catalog/Migration20261124010000_oci_complete.ts";
import * as smallBlobs from "./catalog/Migration20261124020000_small_blobs.ts";
import * as referrerPages from "./catalog/Migration20261125010000_referrer_pages.ts";
import * as identityFirst from "./identity/Migration20261121000000_first.ts";
import * as npmAccounts from "./identity/Migration20261123010000_npm_complete.ts";
import * as refreshTokens from "./identity/Migration20261124010000_oci_complete.ts";
import { SHARED } from "../shared/list.ts";
import { migrationObjects } from "../shared/shared-migration.ts";

const FIRST = "Migration20261121000000_first";
const NUGET_COMPLETE = "Migration20261122000000_nuget_complete";
const NUGET_SEARCH = "Migration20261122010000_nuget_search";
const DROP_UNREAD = "Migration20261122020000_drop_unread";
const PROVENANCE = "Migration20261123000000_provenance";
const NPM_COMPLETE = "Migration20261123010000_npm_complete";
const OCI_COMPLETE = "Migration20261124010000_oci_complete";
const SMALL_BLOBS = "Migration20261124020000_small_blobs";
const REFERRER_PAGES = "Migration20261125010000_referrer_pages";

/** In the order of `names.ts`. Further migrations go into `shared`. */
export const MIGRATIONS = {
  catalog: [
    { name: FIRST, class: catalogFirst.Migration20261121000000_first },
    { name: NUGET_COMPLETE, class: nugetComplete.Migration20261122000000_nuget_complete },
    { name: NUGET_SEARCH, class: nugetSearch.Migration20261122010000_nuget_search },
    { name: DROP_UNREAD, class: dropUnread.Migration20261122020000_drop_unread },
    { name: PROVENANCE, class: provenance.Migration20261123000000_provenance },
    { name: NPM_COMPLETE, class: npmComplete.Migration20261123010000_npm_complete },
    { name: OCI_COMPLETE, class: ociComplete.Migration20261124010000_oci_complete },
    { name: SMALL_BLOBS, class: smallBlobs.Migration20261124020000_small_blobs },
    { name: REFERRER_PAGES, class: referrerPages.Migration20261125010000_referrer_pages },
    ...migrationObjects("postgresql", SHARED.catalog),
  ],
  identity: [
    { name: FIRST, class: identityFirst.Migration20261121000000_first },
    { name: NPM_COMPLETE, class: npmAccounts.Migration20261123010000_npm_complete },
    { name: OCI_COMPLETE, class: refreshTokens.Migration20261124010000_oci_complete },
    ...migrationObjects("postgresql", SHARED.identity),
  ],
};
