-- Removes schema rag, documents too, and the rights given to roles. What is in rag_internal goes
-- when the first revision is undone; the roles stay, since other databases of the cluster may use
-- them.
drop schema rag cascade;
revoke usage, create on schema rag_internal from rag_owner;
revoke usage on schema @extschema:vector@, @extschema:pg_trgm@ from rag_owner, rag_reader;
