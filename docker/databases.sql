-- The roles and databases of docker-compose.temporal.yml, made when its Postgres starts for the first time. Each role owns one
-- database (Temporal's its two) and may not even connect to the others.
\getenv temporal TEMPORAL_POSTGRES_PASSWORD
\getenv noetl NOETL_POSTGRES_PASSWORD
\getenv results RESULTS_POSTGRES_PASSWORD
\getenv results_code RESULTS_CODE_POSTGRES_PASSWORD
\getenv playbooks PLAYBOOKS_POSTGRES_PASSWORD

CREATE ROLE temporal LOGIN PASSWORD :'temporal';
CREATE ROLE noetl LOGIN PASSWORD :'noetl';
CREATE ROLE results LOGIN PASSWORD :'results';
CREATE ROLE results_code LOGIN PASSWORD :'results_code';
CREATE ROLE playbooks LOGIN PASSWORD :'playbooks';

-- What Temporal keeps.
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
-- Catalog, credentials, tokens, and the tables of the projection.
CREATE DATABASE noetl OWNER noetl;
-- Results too large for history (NOETL_STORAGE). Workers of code log in as results_code, which may call the owner's two functions
-- and has no right to the table (docs/large-results.md).
CREATE DATABASE results OWNER results;
-- What playbooks store under the credential pg_local.
CREATE DATABASE playbooks OWNER playbooks;

REVOKE ALL ON DATABASE temporal, temporal_visibility, noetl, results, playbooks FROM PUBLIC;
GRANT CONNECT ON DATABASE results TO results_code;
