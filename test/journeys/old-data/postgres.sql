CREATE FUNCTION public.log_removed_subscription() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
          begin
            update push_log set at = extract(epoch from clock_timestamp()) * 1000, outcome = 'gone', status = null, reason = 'removed', detail = 'the device was removed', waiting_until = null
            where user_id = old.user_id and subscription_id = old.id and outcome = 'waiting';
            return null;
          end
        $$;
CREATE FUNCTION public.note_removed_subscription() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
          begin
            insert into push_last_confirmed (user_id, removed_at) values (old.user_id, extract(epoch from clock_timestamp()) * 1000)
            on conflict (user_id) do update set removed_at = excluded.removed_at;
            return null;
          end
        $$;
CREATE TABLE public.blocks (
    blocker_id text NOT NULL COLLATE pg_catalog."C",
    blocked_id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    "position" bigint NOT NULL
);
CREATE TABLE public.changes (
    id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.conversations (
    user_id text NOT NULL COLLATE pg_catalog."C",
    peer_id text NOT NULL COLLATE pg_catalog."C",
    n bigint DEFAULT 0 NOT NULL,
    last_at bigint DEFAULT 0 NOT NULL,
    received bigint DEFAULT 0 NOT NULL,
    read bigint DEFAULT 0 NOT NULL,
    unread bigint DEFAULT 0 NOT NULL,
    disclosed_received bigint DEFAULT 0 NOT NULL,
    disclosed_read bigint DEFAULT 0 NOT NULL,
    last_hour bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.device_proofs (
    hash text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    used_at bigint NOT NULL
);
CREATE TABLE public.friends (
    user_id text NOT NULL COLLATE pg_catalog."C",
    peer_id text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL
);
CREATE TABLE public.inbox (
    user_id text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    at bigint NOT NULL,
    event text NOT NULL COLLATE pg_catalog."C",
    data text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.inbox_heads (
    user_id text NOT NULL COLLATE pg_catalog."C",
    seq bigint DEFAULT 0 NOT NULL,
    received bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.last_seen (
    user_id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL
);
CREATE TABLE public.messages (
    low_id text NOT NULL COLLATE pg_catalog."C",
    high_id text NOT NULL COLLATE pg_catalog."C",
    n bigint NOT NULL,
    sender_id text NOT NULL COLLATE pg_catalog."C",
    cid text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL
);
CREATE TABLE public.migrations (
    name text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    additive bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.push_early_receipts (
    log_id text NOT NULL COLLATE pg_catalog."C",
    shown_at bigint NOT NULL,
    clicked_at bigint
);
CREATE TABLE public.push_jobs (
    subscription_id text NOT NULL COLLATE pg_catalog."C",
    peer_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    last_seq bigint NOT NULL,
    due_at bigint NOT NULL,
    leased integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    decided_at bigint NOT NULL,
    short integer DEFAULT 0 NOT NULL,
    log_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.push_last_confirmed (
    user_id text NOT NULL COLLATE pg_catalog."C",
    removed_at bigint NOT NULL
);
CREATE TABLE public.push_log (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    subscription_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    outcome text NOT NULL COLLATE pg_catalog."C",
    status integer,
    detail text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    peer_id text COLLATE pg_catalog."C",
    waiting_until bigint,
    device_name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    shown_at bigint,
    clicked_at bigint,
    reason text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.push_pending (
    user_id text NOT NULL COLLATE pg_catalog."C",
    peer_id text NOT NULL COLLATE pg_catalog."C",
    first_seq bigint NOT NULL,
    last_seq bigint NOT NULL,
    count bigint NOT NULL,
    due_at bigint NOT NULL,
    cooldown_until bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.push_subscriptions (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    endpoint text NOT NULL COLLATE pg_catalog."C",
    p256dh text NOT NULL COLLATE pg_catalog."C",
    auth text NOT NULL COLLATE pg_catalog."C",
    vapid_public text NOT NULL COLLATE pg_catalog."C",
    user_agent text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    unusable_since bigint,
    last_success_at bigint,
    not_before bigint DEFAULT 0 NOT NULL,
    refusals integer DEFAULT 0 NOT NULL,
    refused_since bigint,
    last_notified_at bigint DEFAULT 0 NOT NULL,
    session_id text COLLATE pg_catalog."C",
    language text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.service (
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.sessions (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    device text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    used_at bigint NOT NULL,
    address text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.users (
    id text NOT NULL COLLATE pg_catalog."C",
    username text NOT NULL COLLATE pg_catalog."C",
    username_key text NOT NULL COLLATE pg_catalog."C",
    password_hash text NOT NULL COLLATE pg_catalog."C",
    nickname text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    email text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    avatar text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    gender text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    bio text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    phone text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    push_enabled integer DEFAULT 1 NOT NULL,
    dnd_enabled integer DEFAULT 0 NOT NULL,
    push_preview text DEFAULT 'sender'::text NOT NULL COLLATE pg_catalog."C",
    nickname_key text NOT NULL COLLATE pg_catalog."C",
    status text DEFAULT 'active'::text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    CONSTRAINT users_dnd_enabled_check CHECK ((dnd_enabled = ANY (ARRAY[0, 1]))),
    CONSTRAINT users_push_enabled_check CHECK ((push_enabled = ANY (ARRAY[0, 1]))),
    CONSTRAINT users_push_preview_check CHECK ((push_preview = ANY (ARRAY['full'::text, 'sender'::text, 'none'::text]))),
    CONSTRAINT users_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'deleted'::text])))
);
INSERT INTO public.blocks VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-700d-aca4-461258c36ddc', 1790000015000, 1);
INSERT INTO public.blocks VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', '01a0c455-8c80-700d-aca4-461258c36ddc', 1790000017000, 1);
INSERT INTO public.blocks VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', '01a0c455-8c80-7007-9d46-0a3287cec20a', 1790000083000, 1);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7007-9d46-0a3287cec20a', 6, 1790000297000, 4, 4, 1, 4, 4, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', '01a0c455-8c80-7005-9063-e899416dcadb', 6, 1790000297000, 3, 2, 2, 3, 2, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', '01a0c455-8c80-7005-9063-e899416dcadb', 7, 1790000327000, 5, 0, 6, 5, 0, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 7, 1790000327000, 0, 0, 1, 0, 0, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-700f-b805-8ce3820ac35b', '01a0c455-8c80-7005-9063-e899416dcadb', 1, 1790000014000, 0, 0, 0, 0, 0, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-700f-b805-8ce3820ac35b', 1, 1790000014000, 0, 0, 1, 0, 0, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', '01a0c455-8c80-7007-9d46-0a3287cec20a', 2, 1790000336000, 0, 0, 0, 0, 0, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-700d-aca4-461258c36ddc', 2, 1790000014000, 0, 0, 1, 0, 0, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-700d-aca4-461258c36ddc', '01a0c455-8c80-7005-9063-e899416dcadb', 2, 1790000014000, 1, 1, 0, 0, 0, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1, 1790000052000, 0, 0, 0, 0, 0, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 2, 1790000336000, 0, 0, 2, 0, 0, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 1, 1790000052000, 1, 0, 1, 1, 0, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1, 1790000083000, 0, 0, 0, 0, 0, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', '01a0c455-8c80-7007-9d46-0a3287cec20a', 1, 1790000083000, 0, 0, 1, 0, 0, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', '01a0c455-8c80-7005-9063-e899416dcadb', 3, 1790000337000, 0, 0, 1, 0, 0, 497222);
INSERT INTO public.conversations VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 3, 1790000337000, 0, 0, 2, 0, 0, 497222);
INSERT INTO public.device_proofs VALUES ('udhZSXfJML0FbB7K3PlzRNVQH2K78_dTGRWwJGSNjb0', '01a0c455-8c80-7005-9063-e899416dcadb', 1790000027000);
INSERT INTO public.friends VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7007-9d46-0a3287cec20a', 'friends', 1790000007000);
INSERT INTO public.friends VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', '01a0c455-8c80-7005-9063-e899416dcadb', 'friends', 1790000007000);
INSERT INTO public.friends VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', '01a0c455-8c80-7005-9063-e899416dcadb', 'requested', 1790000007000);
INSERT INTO public.friends VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 'asked', 1790000007000);
INSERT INTO public.friends VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', '01a0c455-8c80-7007-9d46-0a3287cec20a', 'requested', 1790000008000);
INSERT INTO public.friends VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 'asked', 1790000008000);
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 1, 1790000006000, 'profile', '{"id":"01a0c455-8c80-7005-9063-e899416dcadb","username":"alice","nickname":"Alice ✨ 爱丽丝","email":"alice@example.org","avatar":"https://pictures.example.org/alice.png","gender":"female","bio":"Tea at five.\nIt''s \"late\"; \\ 50 %","phone":"+44 20 7946 0000","push_enabled":1,"dnd_enabled":0}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 2, 1790000006000, 'settings', '{"push_enabled":1,"dnd_enabled":0,"push_preview":"full"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 1, 1790000006000, 'profile', '{"id":"01a0c455-8c80-7007-9d46-0a3287cec20a","username":"bob","nickname":"Bob","email":"","avatar":"","gender":"secret","bio":"","phone":"","push_enabled":1,"dnd_enabled":0}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 1, 1790000006000, 'settings', '{"push_enabled":1,"dnd_enabled":0,"push_preview":"none"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700d-aca4-461258c36ddc', 1, 1790000006000, 'settings', '{"push_enabled":0,"dnd_enabled":1,"push_preview":"sender"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 2, 1790000006000, 'friend', '{"userId":"01a0c455-8c80-7005-9063-e899416dcadb","state":"requested"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 3, 1790000006000, 'friend', '{"userId":"01a0c455-8c80-7007-9d46-0a3287cec20a","state":"asked"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 4, 1790000007000, 'friend', '{"userId":"01a0c455-8c80-7007-9d46-0a3287cec20a","state":"friends"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 3, 1790000007000, 'friend', '{"userId":"01a0c455-8c80-7005-9063-e899416dcadb","state":"friends"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 2, 1790000007000, 'friend', '{"userId":"01a0c455-8c80-7005-9063-e899416dcadb","state":"requested"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 5, 1790000007000, 'friend', '{"userId":"01a0c455-8c80-7009-b2fd-7804125b5f7e","state":"asked"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 6, 1790000008000, 'friend', '{"userId":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","state":"requested"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1, 1790000008000, 'friend', '{"userId":"01a0c455-8c80-7005-9063-e899416dcadb","state":"asked"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700d-aca4-461258c36ddc', 2, 1790000008000, 'friend', '{"userId":"01a0c455-8c80-7007-9d46-0a3287cec20a","state":"requested"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 4, 1790000008000, 'friend', '{"userId":"01a0c455-8c80-700d-aca4-461258c36ddc","state":"asked"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 5, 1790000008000, 'friend', '{"userId":"01a0c455-8c80-700d-aca4-461258c36ddc","state":"none"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700d-aca4-461258c36ddc', 3, 1790000008000, 'friend', '{"userId":"01a0c455-8c80-7007-9d46-0a3287cec20a","state":"none"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 2, 1790000008000, 'friend', '{"userId":"01a0c455-8c80-7009-b2fd-7804125b5f7e","state":"requested"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 3, 1790000008000, 'friend', '{"userId":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","state":"asked"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 4, 1790000008000, 'friend', '{"userId":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","state":"friends"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 3, 1790000008000, 'friend', '{"userId":"01a0c455-8c80-7009-b2fd-7804125b5f7e","state":"friends"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 5, 1790000008000, 'friend', '{"userId":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","state":"none"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 4, 1790000008000, 'friend', '{"userId":"01a0c455-8c80-7009-b2fd-7804125b5f7e","state":"none"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 6, 1790000008000, 'friend', '{"userId":"01a0c455-8c80-7007-9d46-0a3287cec20a","state":"requested"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 6, 1790000008000, 'friend', '{"userId":"01a0c455-8c80-7009-b2fd-7804125b5f7e","state":"asked"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 7, 1790000008000, 'message', '{"peer":"01a0c455-8c80-7007-9d46-0a3287cec20a","n":1,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c1","body":"hello Bob"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 7, 1790000008000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":1,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c1","body":"hello Bob"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 8, 1790000008000, 'message', '{"peer":"01a0c455-8c80-7007-9d46-0a3287cec20a","n":2,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c2","body":"are you there?"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 8, 1790000008000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":2,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c2","body":"are you there?"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 9, 1790000008000, 'message', '{"peer":"01a0c455-8c80-7007-9d46-0a3287cec20a","n":3,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c3","body":"你好 👋 a\nsecond line"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 9, 1790000008000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":3,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c3","body":"你好 👋 a\nsecond line"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 10, 1790000012000, 'marked', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","by":"01a0c455-8c80-7007-9d46-0a3287cec20a","received":2,"read":2}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 10, 1790000012000, 'marked', '{"peer":"01a0c455-8c80-7007-9d46-0a3287cec20a","by":"01a0c455-8c80-7007-9d46-0a3287cec20a","received":2,"read":2}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 11, 1790000010000, 'marked', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","by":"01a0c455-8c80-7007-9d46-0a3287cec20a","received":3,"read":2}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 11, 1790000010000, 'marked', '{"peer":"01a0c455-8c80-7007-9d46-0a3287cec20a","by":"01a0c455-8c80-7007-9d46-0a3287cec20a","received":3,"read":2}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 12, 1790000012000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":4,"from":"01a0c455-8c80-7007-9d46-0a3287cec20a","cid":"c4","body":"I''m here"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 12, 1790000012000, 'message', '{"peer":"01a0c455-8c80-7007-9d46-0a3287cec20a","n":4,"from":"01a0c455-8c80-7007-9d46-0a3287cec20a","cid":"c4","body":"I''m here"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 13, 1790000012000, 'marked', '{"peer":"01a0c455-8c80-7007-9d46-0a3287cec20a","by":"01a0c455-8c80-7005-9063-e899416dcadb","received":4,"read":4}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 13, 1790000012000, 'marked', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","by":"01a0c455-8c80-7005-9063-e899416dcadb","received":4,"read":4}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 14, 1790000013000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":5,"from":"01a0c455-8c80-7007-9d46-0a3287cec20a","cid":"c5","body":"and you?"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 14, 1790000013000, 'message', '{"peer":"01a0c455-8c80-7007-9d46-0a3287cec20a","n":5,"from":"01a0c455-8c80-7007-9d46-0a3287cec20a","cid":"c5","body":"and you?"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 20, 1790000016000, 'block', '{"userId":"01a0c455-8c80-700b-b09a-0b4e2b62fd82"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 7, 1790000013000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":1,"from":"01a0c455-8c80-7009-b2fd-7804125b5f7e","cid":"c6","body":"tea?"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 15, 1790000013000, 'message', '{"peer":"01a0c455-8c80-7009-b2fd-7804125b5f7e","n":1,"from":"01a0c455-8c80-7009-b2fd-7804125b5f7e","cid":"c6","body":"tea?"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 16, 1790000014000, 'message', '{"peer":"01a0c455-8c80-700f-b805-8ce3820ac35b","n":1,"from":"01a0c455-8c80-700f-b805-8ce3820ac35b","cid":"c7","body":"I am leaving"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 17, 1790000014000, 'message', '{"peer":"01a0c455-8c80-700d-aca4-461258c36ddc","n":1,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c8","body":"no more of this"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700d-aca4-461258c36ddc', 4, 1790000014000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":1,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c8","body":"no more of this"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700d-aca4-461258c36ddc', 5, 1790000014000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":2,"from":"01a0c455-8c80-700d-aca4-461258c36ddc","cid":"c9","body":"as you like"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 18, 1790000014000, 'message', '{"peer":"01a0c455-8c80-700d-aca4-461258c36ddc","n":2,"from":"01a0c455-8c80-700d-aca4-461258c36ddc","cid":"c9","body":"as you like"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 19, 1790000015000, 'block', '{"userId":"01a0c455-8c80-700d-aca4-461258c36ddc"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700d-aca4-461258c36ddc', 6, 1790000015000, 'marked', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","by":"01a0c455-8c80-700d-aca4-461258c36ddc","received":1,"read":1}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 16, 1790000083000, 'message', '{"peer":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","n":1,"from":"01a0c455-8c80-7007-9d46-0a3287cec20a","cid":"c16","body":"blocked"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 16, 1790000083000, 'message', '{"peer":"01a0c455-8c80-7007-9d46-0a3287cec20a","n":1,"from":"01a0c455-8c80-7007-9d46-0a3287cec20a","cid":"c16","body":"blocked"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 17, 1790000083000, 'block', '{"userId":"01a0c455-8c80-7007-9d46-0a3287cec20a"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 19, 1790000327000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":7,"from":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","cid":"c20","body":"last one of dave"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 31, 1790000327000, 'message', '{"peer":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","n":7,"from":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","cid":"c20","body":"last one of dave"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 11, 1790000336000, 'message', '{"peer":"01a0c455-8c80-7007-9d46-0a3287cec20a","n":2,"from":"01a0c455-8c80-7009-b2fd-7804125b5f7e","cid":"c21","body":"waits for its minute"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 19, 1790000336000, 'message', '{"peer":"01a0c455-8c80-7009-b2fd-7804125b5f7e","n":2,"from":"01a0c455-8c80-7009-b2fd-7804125b5f7e","cid":"c21","body":"waits for its minute"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 32, 1790000336000, 'message', '{"peer":"01a0c455-8c80-7009-b2fd-7804125b5f7e","n":2,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c22","body":"to four devices"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 12, 1790000336000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":2,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c22","body":"to four devices"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 13, 1790000337000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":3,"from":"01a0c455-8c80-7009-b2fd-7804125b5f7e","cid":"c23","body":"still pending"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 33, 1790000337000, 'message', '{"peer":"01a0c455-8c80-7009-b2fd-7804125b5f7e","n":3,"from":"01a0c455-8c80-7009-b2fd-7804125b5f7e","cid":"c23","body":"still pending"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 21, 1790000017000, 'unblock', '{"userId":"01a0c455-8c80-700b-b09a-0b4e2b62fd82"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 15, 1790000017000, 'block', '{"userId":"01a0c455-8c80-700d-aca4-461258c36ddc"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 22, 1790000028000, 'sessions', '{"ended":["01a0c455-8c80-7018-b2f4-37d3c04dc9ef"]}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 23, 1790000028000, 'message', '{"peer":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","n":1,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c10","body":"no device"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 5, 1790000028000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":1,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c10","body":"no device"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 24, 1790000040000, 'message', '{"peer":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","n":2,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c11","body":"accepted and gone"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 6, 1790000040000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":2,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c11","body":"accepted and gone"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 8, 1790000052000, 'message', '{"peer":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","n":1,"from":"01a0c455-8c80-7009-b2fd-7804125b5f7e","cid":"c12","body":"unusable"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 7, 1790000052000, 'message', '{"peer":"01a0c455-8c80-7009-b2fd-7804125b5f7e","n":1,"from":"01a0c455-8c80-7009-b2fd-7804125b5f7e","cid":"c12","body":"unusable"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 8, 1790000062000, 'settings', '{"push_enabled":1,"dnd_enabled":1,"push_preview":"sender"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 25, 1790000062000, 'message', '{"peer":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","n":3,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c13","body":"dnd, then off"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 9, 1790000062000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":3,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c13","body":"dnd, then off"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 10, 1790000072000, 'settings', '{"push_enabled":0,"dnd_enabled":0,"push_preview":"sender"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 26, 1790000072000, 'message', '{"peer":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","n":4,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c14","body":"dnd, then off"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 11, 1790000072000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":4,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c14","body":"dnd, then off"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 12, 1790000082000, 'settings', '{"push_enabled":1,"dnd_enabled":0,"push_preview":"sender"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 27, 1790000082000, 'message', '{"peer":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","n":5,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c15","body":"seen"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 13, 1790000082000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":5,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c15","body":"seen"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 14, 1790000083000, 'marked', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","by":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","received":5,"read":0}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 15, 1790000083000, 'marked', '{"peer":"01a0c455-8c80-7009-b2fd-7804125b5f7e","by":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","received":1,"read":0}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 28, 1790000083000, 'marked', '{"peer":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","by":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","received":5,"read":0}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 9, 1790000083000, 'marked', '{"peer":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","by":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","received":1,"read":0}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 29, 1790000286000, 'message', '{"peer":"01a0c455-8c80-700b-b09a-0b4e2b62fd82","n":6,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c17","body":"beside an unconfirmed device"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 18, 1790000286000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":6,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c17","body":"beside an unconfirmed device"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 30, 1790000297000, 'message', '{"peer":"01a0c455-8c80-7007-9d46-0a3287cec20a","n":6,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c18","body":"one"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 17, 1790000297000, 'message', '{"peer":"01a0c455-8c80-7005-9063-e899416dcadb","n":6,"from":"01a0c455-8c80-7005-9063-e899416dcadb","cid":"c18","body":"one"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 10, 1790000297000, 'message', '{"peer":"01a0c455-8c80-7007-9d46-0a3287cec20a","n":1,"from":"01a0c455-8c80-7009-b2fd-7804125b5f7e","cid":"c19","body":"two"}');
INSERT INTO public.inbox VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 18, 1790000297000, 'message', '{"peer":"01a0c455-8c80-7009-b2fd-7804125b5f7e","n":1,"from":"01a0c455-8c80-7009-b2fd-7804125b5f7e","cid":"c19","body":"two"}');
INSERT INTO public.inbox_heads VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 19, 13);
INSERT INTO public.inbox_heads VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 19, 9);
INSERT INTO public.inbox_heads VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 33, 0);
INSERT INTO public.inbox_heads VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 13, 0);
INSERT INTO public.inbox_heads VALUES ('01a0c455-8c80-700f-b805-8ce3820ac35b', 1, 0);
INSERT INTO public.inbox_heads VALUES ('01a0c455-8c80-700d-aca4-461258c36ddc', 6, 0);
INSERT INTO public.last_seen VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 1790000013000);
INSERT INTO public.last_seen VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000083000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7007-9d46-0a3287cec20a', 1, '01a0c455-8c80-7005-9063-e899416dcadb', 'c1', 'hello Bob', 1790000008000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7007-9d46-0a3287cec20a', 2, '01a0c455-8c80-7005-9063-e899416dcadb', 'c2', 'are you there?', 1790000008000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7007-9d46-0a3287cec20a', 3, '01a0c455-8c80-7005-9063-e899416dcadb', 'c3', '你好 👋 a
second line', 1790000008000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7007-9d46-0a3287cec20a', 4, '01a0c455-8c80-7007-9d46-0a3287cec20a', 'c4', 'I''m here', 1790000012000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7007-9d46-0a3287cec20a', 5, '01a0c455-8c80-7007-9d46-0a3287cec20a', 'c5', 'and you?', 1790000013000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 1, '01a0c455-8c80-7009-b2fd-7804125b5f7e', 'c6', 'tea?', 1790000013000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-700f-b805-8ce3820ac35b', 1, '01a0c455-8c80-700f-b805-8ce3820ac35b', 'c7', 'I am leaving', 1790000014000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-700d-aca4-461258c36ddc', 1, '01a0c455-8c80-7005-9063-e899416dcadb', 'c8', 'no more of this', 1790000014000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-700d-aca4-461258c36ddc', 2, '01a0c455-8c80-700d-aca4-461258c36ddc', 'c9', 'as you like', 1790000014000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1, '01a0c455-8c80-7005-9063-e899416dcadb', 'c10', 'no device', 1790000028000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 2, '01a0c455-8c80-7005-9063-e899416dcadb', 'c11', 'accepted and gone', 1790000040000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1, '01a0c455-8c80-7009-b2fd-7804125b5f7e', 'c12', 'unusable', 1790000052000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 3, '01a0c455-8c80-7005-9063-e899416dcadb', 'c13', 'dnd, then off', 1790000062000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 4, '01a0c455-8c80-7005-9063-e899416dcadb', 'c14', 'dnd, then off', 1790000072000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 5, '01a0c455-8c80-7005-9063-e899416dcadb', 'c15', 'seen', 1790000082000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1, '01a0c455-8c80-7007-9d46-0a3287cec20a', 'c16', 'blocked', 1790000083000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 6, '01a0c455-8c80-7005-9063-e899416dcadb', 'c17', 'beside an unconfirmed device', 1790000286000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7007-9d46-0a3287cec20a', 6, '01a0c455-8c80-7005-9063-e899416dcadb', 'c18', 'one', 1790000297000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 1, '01a0c455-8c80-7009-b2fd-7804125b5f7e', 'c19', 'two', 1790000297000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 7, '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 'c20', 'last one of dave', 1790000327000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 2, '01a0c455-8c80-7009-b2fd-7804125b5f7e', 'c21', 'waits for its minute', 1790000336000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 2, '01a0c455-8c80-7005-9063-e899416dcadb', 'c22', 'to four devices', 1790000336000);
INSERT INTO public.messages VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 3, '01a0c455-8c80-7009-b2fd-7804125b5f7e', 'c23', 'still pending', 1790000337000);
INSERT INTO public.migrations VALUES ('0001-accounts', 1795356686331, 0);
INSERT INTO public.migrations VALUES ('0002-blocks', 1795356686335, 0);
INSERT INTO public.migrations VALUES ('0003-push', 1795356686344, 0);
INSERT INTO public.migrations VALUES ('0004-inbox', 1795356686350, 0);
INSERT INTO public.migrations VALUES ('0005-chat', 1795356686357, 0);
INSERT INTO public.migrations VALUES ('0006-friends', 1795356686360, 0);
INSERT INTO public.migrations VALUES ('0007-push-queue', 1795356686363, 0);
INSERT INTO public.migrations VALUES ('0008-push-delivery', 1795356686370, 0);
INSERT INTO public.migrations VALUES ('0009-presence', 1795356686373, 0);
INSERT INTO public.migrations VALUES ('0010-told-marks', 1795356686375, 0);
INSERT INTO public.migrations VALUES ('0011-push-receipts', 1795356686379, 0);
INSERT INTO public.migrations VALUES ('0012-flat-indexes', 1795356686382, 0);
INSERT INTO public.migrations VALUES ('0013-device-proofs', 1795356686387, 0);
INSERT INTO public.migrations VALUES ('0014-push-limits', 1795356686400, 0);
INSERT INTO public.migrations VALUES ('0015-subscriptions-of-sessions', 1795717429398, 0);
INSERT INTO public.migrations VALUES ('0016-push-log-reasons', 1795717429398, 0);
INSERT INTO public.migrations VALUES ('0017-plain-names', 1795717429399, 0);
INSERT INTO public.migrations VALUES ('0018-subscription-languages', 1795717429399, 0);
INSERT INTO public.migrations VALUES ('0019-session-addresses', 1795717429399, 0);
INSERT INTO public.migrations VALUES ('0020-log-of-removed-devices', 1795717429399, 0);
INSERT INTO public.migrations VALUES ('0021-trim-by-user', 1795717429426, 0);
INSERT INTO public.migrations VALUES ('0022-conversations-by-hour', 1795717429433, 0);
INSERT INTO public.migrations VALUES ('0023-changes', 1795717429462, 0);
INSERT INTO public.migrations VALUES ('0024-additive-migrations', 1795717429466, 0);
INSERT INTO public.push_jobs VALUES ('01a0c455-8c80-7039-81c7-f4b71540c0cb', '01a0c455-8c80-7009-b2fd-7804125b5f7e', '01a0c455-8c80-7007-9d46-0a3287cec20a', 19, 1790000357000, 0, 0, 1790000336000, 0, '01a0c455-8c80-7042-b84b-bd4f87592195');
INSERT INTO public.push_jobs VALUES ('01a0c455-8c80-703e-9fb5-f68a297669c1', '01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 12, 1790000396000, 1, 0, 1790000336000, 0, '');
INSERT INTO public.push_jobs VALUES ('01a0c455-8c80-7040-aa5a-a5e893fa927b', '01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 12, 1790002136000, 0, 1, 1790000336000, 0, '01a0c455-8c80-7045-b76c-a3f965f79350');
INSERT INTO public.push_jobs VALUES ('01a0c455-8c80-7041-b9a8-cccbb184bb1c', '01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 12, 1790003936000, 0, 1, 1790000336000, 0, '01a0c455-8c80-7046-a827-07ad9515482e');
INSERT INTO public.push_jobs VALUES ('01a0c455-8c80-703f-b7b5-d00d5fc951d3', '01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 12, 1790000338182, 0, 2, 1790000336000, 0, '01a0c455-8c80-7044-aea9-52f6425b6275');
INSERT INTO public.push_last_confirmed VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 1790000028000);
INSERT INTO public.push_last_confirmed VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000040000);
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7011-bc5b-8fe4a6cbd246', '01a0c455-8c80-7005-9063-e899416dcadb', 1790000012000, '', 'message', 'seen', NULL, '', '01a0c455-8c80-7007-9d46-0a3287cec20a', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7012-be40-f64354c46747', '01a0c455-8c80-7007-9d46-0a3287cec20a', 1790000012000, '', 'message', 'seen', NULL, 'bob''s laptop', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7013-9ca8-60ea6eca8908', '01a0c455-8c80-7005-9063-e899416dcadb', 1790000013000, '', 'message', 'no_device', NULL, '', '01a0c455-8c80-7007-9d46-0a3287cec20a', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7014-ab7a-18b2c897a2db', '01a0c455-8c80-7005-9063-e899416dcadb', 1790000014000, '', 'message', 'no_device', NULL, '', '01a0c455-8c80-7009-b2fd-7804125b5f7e', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7015-9bf1-031da767dab3', '01a0c455-8c80-7005-9063-e899416dcadb', 1790000015000, '', 'message', 'blocked', NULL, '', '01a0c455-8c80-700d-aca4-461258c36ddc', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7016-841c-e3341ecbb8cd', '01a0c455-8c80-700d-aca4-461258c36ddc', 1790000015000, '', 'message', 'seen', NULL, '', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-701a-8a98-62946d73de68', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000028000, '', 'message', 'no_device', NULL, '', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-703a-aa3a-a85aaaad2398', '01a0c455-8c80-7007-9d46-0a3287cec20a', 1790000297000, '01a0c455-8c80-7039-81c7-f4b71540c0cb', 'message', 'accepted', 201, '', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-701d-88b7-1062ab8abdb9', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000040000, '01a0c455-8c80-701b-85a1-961ce19346c0', 'message', 'accepted', 201, '', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, 'Firefox', 1790000050000, 1790000052000, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7020-92ce-a5ec7755a2e1', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000052000, '01a0c455-8c80-701b-85a1-961ce19346c0', 'message', 'accepted', 201, '', '01a0c455-8c80-7009-b2fd-7804125b5f7e', NULL, 'Firefox', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7022-8a57-0aadb970aa0d', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000062000, '', 'message', 'dnd', NULL, '', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7023-957b-3ebb2ca35c03', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000072000, '', 'message', 'off', NULL, '', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7024-b26e-c01337756ccc', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000083000, '', 'message', 'seen', NULL, 'Safari', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7025-a59a-1e87af092a3d', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000083000, '', 'message', 'blocked', NULL, '', '01a0c455-8c80-7007-9d46-0a3287cec20a', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7027-980e-5d9d4aeea4f7', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000093000, '01a0c455-8c80-701b-85a1-961ce19346c0', 'test', 'accepted', 201, '', NULL, NULL, 'Firefox', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-702e-babd-02aa98c874b5', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000278000, '', 'message', 'account_closed', NULL, '', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7037-8568-6532460ec8f3', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000286000, '01a0c455-8c80-7036-8ec0-b5471518cc7c', 'message', 'unconfirmed', NULL, '', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7038-aaac-a663d21b5ea7', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000286000, '01a0c455-8c80-701b-85a1-961ce19346c0', 'message', 'accepted', 201, '', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, 'Firefox', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-703d-984e-f97c31e9d202', '01a0c455-8c80-7005-9063-e899416dcadb', 1790000327000, '', 'message', 'no_device', NULL, '', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', NULL, '', NULL, NULL, '');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-701e-b3c4-550170d900b1', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000040000, '01a0c455-8c80-701c-9ead-499d377ba777', 'message', 'gone', 410, 'gone', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, 'Old Firefox', NULL, NULL, 'gone');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7021-a0e8-fd388c57d81f', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000052000, '01a0c455-8c80-701f-aa5d-6d65a31fb714', 'message', 'unusable', NULL, 'keys_unusable', '01a0c455-8c80-7009-b2fd-7804125b5f7e', NULL, 'Broken', NULL, NULL, 'keys_unusable');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7026-b0af-9896ed8017d6', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000093000, '01a0c455-8c80-701f-aa5d-6d65a31fb714', 'test', 'unusable', NULL, 'keys_unusable', NULL, NULL, 'Broken', NULL, NULL, 'keys_unusable');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7029-bf24-694edb68f673', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000154000, '01a0c455-8c80-701b-85a1-961ce19346c0', 'test', 'refused', 400, 'refused', NULL, NULL, 'Firefox', NULL, NULL, 'refused');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7028-a9f1-01a8cdba73e2', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000154000, '01a0c455-8c80-701f-aa5d-6d65a31fb714', 'test', 'unusable', NULL, 'keys_unusable', NULL, NULL, 'Broken', NULL, NULL, 'keys_unusable');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-702b-bbb0-18ea012b5e69', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000215000, '01a0c455-8c80-701b-85a1-961ce19346c0', 'test', 'refused', 500, 'server_error', NULL, NULL, 'Firefox', NULL, NULL, 'server_error');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-702a-bf19-bbb1613105f6', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000215000, '01a0c455-8c80-701f-aa5d-6d65a31fb714', 'test', 'unusable', NULL, 'keys_unusable', NULL, NULL, 'Broken', NULL, NULL, 'keys_unusable');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-702d-bb8d-d9f4e97ca7bf', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000276000, '01a0c455-8c80-701b-85a1-961ce19346c0', 'test', 'failed', NULL, 'connect', NULL, NULL, 'Firefox', NULL, NULL, 'connect');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-702c-a120-2d5f320964f4', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000276000, '01a0c455-8c80-701f-aa5d-6d65a31fb714', 'test', 'unusable', NULL, 'keys_unusable', NULL, NULL, 'Broken', NULL, NULL, 'keys_unusable');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-702f-bf93-168ce03d5b88', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000279000, '01a0c455-8c80-701f-aa5d-6d65a31fb714', 'message', 'gone', NULL, 'refused for 7 days: refused', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, 'Broken', NULL, NULL, 'refused_7_days');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7030-bbb8-d97b642b2f07', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000280000, '01a0c455-8c80-701f-aa5d-6d65a31fb714', 'message', 'failed', NULL, 'given up after 24 hours', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, 'Broken', NULL, NULL, 'gave_up_24h');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7031-aadf-c0539ddb6917', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000281000, '01a0c455-8c80-701f-aa5d-6d65a31fb714', 'message', 'failed', NULL, 'port', '01a0c455-8c80-7005-9063-e899416dcadb', NULL, 'Broken', NULL, NULL, 'port');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7032-a5c8-f94a148b0f74', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000282000, '01a0c455-8c80-701f-aa5d-6d65a31fb714', 'message', 'waiting', NULL, 'its push service said so', '01a0c455-8c80-7005-9063-e899416dcadb', 1790003882000, 'Broken', NULL, NULL, 'push_service_paused');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7033-bf37-771c5ea87a24', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000283000, '01a0c455-8c80-701f-aa5d-6d65a31fb714', 'message', 'waiting', NULL, 'its push service refuses us at the moment', '01a0c455-8c80-7005-9063-e899416dcadb', 1790003883000, 'Broken', NULL, NULL, 'push_service_refuses');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7034-8dff-90d919651b55', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000284000, '01a0c455-8c80-701f-aa5d-6d65a31fb714', 'message', 'waiting', NULL, 'private_address', '01a0c455-8c80-7005-9063-e899416dcadb', 1790003884000, 'Broken', NULL, NULL, 'private_address');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7035-bffd-5b869a36e656', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 1790000285000, '01a0c455-8c80-701f-aa5d-6d65a31fb714', 'message', 'waiting', NULL, 'timeout', '01a0c455-8c80-7005-9063-e899416dcadb', 1790003885000, 'Broken', NULL, NULL, 'timeout');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7042-b84b-bd4f87592195', '01a0c455-8c80-7007-9d46-0a3287cec20a', 1790000336000, '01a0c455-8c80-7039-81c7-f4b71540c0cb', 'message', 'waiting', NULL, 'unconfirmed: at most once a minute', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 1790000357000, '', NULL, NULL, 'unconfirmed_rate');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7045-b76c-a3f965f79350', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 1790000336000, '01a0c455-8c80-7040-aa5a-a5e893fa927b', 'message', 'waiting', 429, 'rate_limited', '01a0c455-8c80-7005-9063-e899416dcadb', 1790002136000, 'Busy', NULL, NULL, 'rate_limited');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7046-a827-07ad9515482e', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 1790000336000, '01a0c455-8c80-7041-b9a8-cccbb184bb1c', 'message', 'waiting', 403, 'refused', '01a0c455-8c80-7005-9063-e899416dcadb', 1790003936000, 'Refuses', NULL, NULL, 'refused');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-7044-aea9-52f6425b6275', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 1790000337000, '01a0c455-8c80-703f-b7b5-d00d5fc951d3', 'message', 'waiting', 500, 'server_error', '01a0c455-8c80-7005-9063-e899416dcadb', 1790000338182, 'Fails', NULL, NULL, 'server_error');
INSERT INTO public.push_log VALUES ('01a0c455-8c80-703b-95d9-e738d49bc5c0', '01a0c455-8c80-7007-9d46-0a3287cec20a', 1790000297000, '01a0c455-8c80-7039-81c7-f4b71540c0cb', 'message', 'already_notified', NULL, '', '01a0c455-8c80-7009-b2fd-7804125b5f7e', NULL, '', NULL, NULL, '');
INSERT INTO public.push_pending VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 19, 19, 0, 1790000339000, 1790000339000);
INSERT INTO public.push_pending VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', '01a0c455-8c80-7005-9063-e899416dcadb', 12, 12, 0, 1790000339000, 1790000339000);
INSERT INTO public.push_pending VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 33, 33, 1, 1790000342000, 0);
INSERT INTO public.push_subscriptions VALUES ('01a0c455-8c80-7041-b9a8-cccbb184bb1c', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 'http://127.0.0.1:49999/push/L3JdGN4E2YuJzR2Evc735W8TvSUSGFIL', 'BHu5W7hQN6Lp5Z3PZLJRaicGt8FXVgf-wNHihUZUtb3gb_Hu1WoGrTXCqLNa6TOqWFT6ywRuJukWcHK6dbmo6sc', 'cZZo3E67ygL7U3ILa8VWOg', 'BLsbH7PgJoo3-l8E4XKXrRCVfLT4WXjONEhXJjYojKJu2vt55QZRIvZZFqb2ykLUQOGyrzuHTi27iLtYAdpeqW8', 'Refuses', 1790000331000, 1790000331000, NULL, NULL, 1790003936000, 1, 1790000336000, 0, '01a0c455-8c80-700a-89f0-524a9d7ad164', '');
INSERT INTO public.push_subscriptions VALUES ('01a0c455-8c80-701f-aa5d-6d65a31fb714', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 'http://127.0.0.1:49999/push/CF1OSgBnSkkTuiDyO3ToIKD78rj6pmM-', 'vjh7SIW774KrlCB_wsv29I98zx21U_vClA7MI4omJ_K8wiulavMPmT8EiiPOIDTm40KgaO1L8Jh2883QeLm6JKs', '4uVJ_0BPxhyUt7GwCKW7rA', 'BLsbH7PgJoo3-l8E4XKXrRCVfLT4WXjONEhXJjYojKJu2vt55QZRIvZZFqb2ykLUQOGyrzuHTi27iLtYAdpeqW8', 'Broken', 1790000052000, 1790000052000, 1790000052000, NULL, 0, 0, NULL, 0, '01a0c455-8c80-700c-a0d4-91044010d628', '');
INSERT INTO public.push_subscriptions VALUES ('01a0c455-8c80-701b-85a1-961ce19346c0', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 'http://127.0.0.1:49999/push/iVsf93OCJNnLNRtkcbyDtuj4-B7wmYiz', 'BHYUEyNN8ioKhz5CaJMl8Wy1ahXcZ_Nlg1C_DhrseD5QlxTbP3TgpeLBJp4rQy2oPXvj1ss_gV4mJZ-YM6NEpfQ', 'muroOpMNlF8131wKqhAkpw', 'BLsbH7PgJoo3-l8E4XKXrRCVfLT4WXjONEhXJjYojKJu2vt55QZRIvZZFqb2ykLUQOGyrzuHTi27iLtYAdpeqW8', 'Firefox', 1790000038000, 1790000038000, NULL, 1790000093000, 0, 0, NULL, 0, '01a0c455-8c80-700c-a0d4-91044010d628', '');
INSERT INTO public.push_subscriptions VALUES ('01a0c455-8c80-7036-8ec0-b5471518cc7c', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 'http://127.0.0.1:49999/push/jh4viufZyy2RR9pG4o6imAtFjYa0QIL7', 'BA-4FRYPRdwX18U0hs1EYs-ke2h24fSIcFSiM9MpbtfDAKoyaJpXfCw24da_hz4K2JYr0aW1VolKVJbLlksEebk', '0DN-MZw-U06n9ebaQ3QDcg', 'BLsbH7PgJoo3-l8E4XKXrRCVfLT4WXjONEhXJjYojKJu2vt55QZRIvZZFqb2ykLUQOGyrzuHTi27iLtYAdpeqW8', 'a stranger''s', 1790000285000, 1790000285000, NULL, NULL, 0, 0, NULL, 0, NULL, '');
INSERT INTO public.push_subscriptions VALUES ('01a0c455-8c80-7039-81c7-f4b71540c0cb', '01a0c455-8c80-7007-9d46-0a3287cec20a', 'http://127.0.0.1:49999/push/DDgBFnPhOAUbMp4c5bi8VgXRzjwTv79A', 'BHbldBiHIpJ0ZKbb6v_j2-EPNvEQBbuh8RdWUMTWqebXARa2KEeEo_n2sgJ2yKzJHyueg3qZEEZEZ4bQhQzRNYg', '-lR5D0oTRop4Hkube6Ofhg', 'BLsbH7PgJoo3-l8E4XKXrRCVfLT4WXjONEhXJjYojKJu2vt55QZRIvZZFqb2ykLUQOGyrzuHTi27iLtYAdpeqW8', 'unknown', 1790000296000, 1790000296000, NULL, 1790000297000, 0, 0, NULL, 1790000297000, NULL, '');
INSERT INTO public.push_subscriptions VALUES ('01a0c455-8c80-703c-b74a-47691701cd56', '01a0c455-8c80-7005-9063-e899416dcadb', 'http://127.0.0.1:49999/push/P4TiqHTlh_wgj0xBJiIDNTdrzhYY9egO', 'BFqnXVK0nd46m9cxzE8eRIMGXJxUbEsJLGAj-mS0N8crX5sBClLLy-8ZCTD_OXc9JQNjLS6hJ2PxeUjLQ6dW8A0', 'cjJafLIEqFPCJrUwx7aJpw', 'BLsbH7PgJoo3-l8E4XKXrRCVfLT4WXjONEhXJjYojKJu2vt55QZRIvZZFqb2ykLUQOGyrzuHTi27iLtYAdpeqW8', 'Laptop', 1790000327000, 1790000327000, NULL, NULL, 0, 0, NULL, 0, '01a0c455-8c80-7006-9019-d40d5dc02d85', '');
INSERT INTO public.push_subscriptions VALUES ('01a0c455-8c80-703e-9fb5-f68a297669c1', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 'http://127.0.0.1:49999/push/3pHruE5QeXQS1KiMFVNjbpIGWF6inTfD', 'BJfxKtM6XMWXtjJZkSczCAVBv8CVk9tjjQussavnw3233kIDg-Hbdch9rxUkVDAyEi1S5QTqoBpEfZuhMvT9WQA', 'l9aDqDF9c0bjJ8x8Hb-dcA', 'BLsbH7PgJoo3-l8E4XKXrRCVfLT4WXjONEhXJjYojKJu2vt55QZRIvZZFqb2ykLUQOGyrzuHTi27iLtYAdpeqW8', 'Hangs', 1790000328000, 1790000328000, NULL, NULL, 0, 0, NULL, 0, '01a0c455-8c80-700a-89f0-524a9d7ad164', '');
INSERT INTO public.push_subscriptions VALUES ('01a0c455-8c80-703f-b7b5-d00d5fc951d3', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 'http://127.0.0.1:49999/push/wRlgn-jx1l01ZBDJVz2f56_nqY3mv-fa', 'BPlG504xu78LnbSwvcjcmgB7jQizMUxTgoUsYi513mEpQ7DnglZEu9vD5maeFGW0HTpNZptMnK7w9YENMClbZWI', 'XI7RXQmzZJCWUbEGNX2r-Q', 'BLsbH7PgJoo3-l8E4XKXrRCVfLT4WXjONEhXJjYojKJu2vt55QZRIvZZFqb2ykLUQOGyrzuHTi27iLtYAdpeqW8', 'Fails', 1790000329000, 1790000329000, NULL, NULL, 0, 0, NULL, 0, '01a0c455-8c80-700a-89f0-524a9d7ad164', '');
INSERT INTO public.push_subscriptions VALUES ('01a0c455-8c80-7040-aa5a-a5e893fa927b', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 'http://127.0.0.1:49999/push/qmLgh6AA4e7ynpdjKJeaeNGH6Q6-G23n', 'BMRixrXGxFhVhjvI8NGXvy48T40oXcpGK5sF6u1ZC6dpg4U0CS5NcKsjoNj_PgIZd3ll7knQ3ycYa9fLU6dyGKI', 'oXkwj8cub87mDj00hTzz3g', 'BLsbH7PgJoo3-l8E4XKXrRCVfLT4WXjONEhXJjYojKJu2vt55QZRIvZZFqb2ykLUQOGyrzuHTi27iLtYAdpeqW8', 'Busy', 1790000330000, 1790000330000, NULL, NULL, 1790002136000, 0, NULL, 0, '01a0c455-8c80-700a-89f0-524a9d7ad164', '');
INSERT INTO public.service VALUES ('issuer', 'doorman:768880c3-6ea1-4329-91ab-fc94c8e562ff');
INSERT INTO public.service VALUES ('jwt-keys', '[{"createdAt":1790000000000,"jwk":{"kty":"OKP","crv":"Ed25519","x":"YavO4sTLF7Ma8VPWSjbrto2QF2Hu2lTicrDNuHSA3qY","d":"FVR2tpEBnLb9RMY89Kt5bG9PSbPCmBxhgQrz0cVUHNU","kid":"MKH0inZk3IAoiclQFu00f4bJs3QSepoDQmgdGIZBMNI"}}]');
INSERT INTO public.service VALUES ('epoch', '2c5842da');
INSERT INTO public.service VALUES ('vapid-keys', '[{"publicKey":"BLsbH7PgJoo3-l8E4XKXrRCVfLT4WXjONEhXJjYojKJu2vt55QZRIvZZFqb2ykLUQOGyrzuHTi27iLtYAdpeqW8","privateKey":"L2hpefrkwTwsiexwh9hacEi7-gqEFG4CIwILnASLR98"}]');
INSERT INTO public.service VALUES ('push-receipt-key', 'pWwesKJebXp3wQJR6-R0WBMrZ4zzu7mfzDeofpGlpWc');
INSERT INTO public.sessions VALUES ('01a0c455-8c80-7008-aca2-c5a7e6b0f836', '01a0c455-8c80-7007-9d46-0a3287cec20a', 'lightMyRequest', 1790000002000, 1790000002000, '');
INSERT INTO public.sessions VALUES ('01a0c455-8c80-700e-ad90-e7a08773bbff', '01a0c455-8c80-700d-aca4-461258c36ddc', 'lightMyRequest', 1790000005000, 1790000005000, '');
INSERT INTO public.sessions VALUES ('01a0c455-8c80-7017-8e79-bc7e9d3cc2b4', '01a0c455-8c80-7005-9063-e899416dcadb', 'Phone', 1790000027000, 1790000027000, '');
INSERT INTO public.sessions VALUES ('01a0c455-8c80-700c-a0d4-91044010d628', '01a0c455-8c80-700b-b09a-0b4e2b62fd82', 'lightMyRequest', 1790000004000, 1790000004000, '');
INSERT INTO public.sessions VALUES ('01a0c455-8c80-7006-9019-d40d5dc02d85', '01a0c455-8c80-7005-9063-e899416dcadb', 'lightMyRequest', 1790000001000, 1790000001000, '');
INSERT INTO public.sessions VALUES ('01a0c455-8c80-700a-89f0-524a9d7ad164', '01a0c455-8c80-7009-b2fd-7804125b5f7e', 'lightMyRequest', 1790000003000, 1790000003000, '');
INSERT INTO public.users VALUES ('01a0c455-8c80-700d-aca4-461258c36ddc', 'erin', 'erin', '$bcrypt-sha256$v=2,t=2b,r=4$0GaM2MLFQpNsQRnIwRUy7e$JoYtwQtoJxTFg7wELqfWEJL4T5OFDeW', 'erin', '', '', '', '', '', 0, 1, 'sender', '', 'active', 1790000005000);
INSERT INTO public.users VALUES ('01a0c455-8c80-700f-b805-8ce3820ac35b', 'frank', 'frank', '', 'frank', '', '', '', '', '', 1, 0, 'sender', '', 'deleted', 1790000006000);
INSERT INTO public.users VALUES ('01a0c455-8c80-7009-b2fd-7804125b5f7e', 'carol', 'carol', '$bcrypt-sha256$v=2,t=2b,r=4$1YDJc7tXZCL0jacunLs6N.$sfIBQnpICBcJWNHaa4Xf/FtR.b/bu7W', 'carol', '', '', '', '', '', 1, 0, 'none', '', 'active', 1790000003000);
INSERT INTO public.users VALUES ('01a0c455-8c80-700b-b09a-0b4e2b62fd82', 'dave', 'dave', '$bcrypt-sha256$v=2,t=2b,r=4$zF3VsK4SPKLX1yDas/YbAu$GqB6WelL4AV43qcKxZ0rrF8YxWVUZ2u', 'dave', '', '', '', '', '', 1, 0, 'sender', '', 'active', 1790000004000);
INSERT INTO public.users VALUES ('01a0c455-8c80-7007-9d46-0a3287cec20a', 'bob', 'bob', '$bcrypt-sha256$v=2,t=2b,r=4$L8hQ/lgwwa97XfL5gAKgqO$7O5SoJlvj32Pex1NHzVKVjo4kmjfRn.', 'Bob', '', '', 'secret', '', '', 1, 0, 'sender', '', 'active', 1790000002000);
INSERT INTO public.users VALUES ('01a0c455-8c80-7005-9063-e899416dcadb', 'alice', 'alice', '$bcrypt-sha256$v=2,t=2b,r=4$UX7lZGbFMsBs/6ifx6BJJu$4.RPOf4R32tD1jYPVn1f.J/NWnNGaH6', 'Alice ✨ 爱丽丝', 'alice@example.org', 'https://pictures.example.org/alice.png', 'female', 'Tea at five.
It''s "late"; \ 50 %', '+44 20 7946 0000', 1, 0, 'full', 'alice ✨ 爱丽丝', 'active', 1790000001000);
ALTER TABLE ONLY public.blocks
    ADD CONSTRAINT blocks_pkey PRIMARY KEY (blocker_id, blocked_id);
ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_pkey PRIMARY KEY (user_id, peer_id);
ALTER TABLE ONLY public.device_proofs
    ADD CONSTRAINT device_proofs_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.friends
    ADD CONSTRAINT friends_pkey PRIMARY KEY (user_id, peer_id);
ALTER TABLE ONLY public.inbox_heads
    ADD CONSTRAINT inbox_heads_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (user_id, seq);
ALTER TABLE ONLY public.last_seen
    ADD CONSTRAINT last_seen_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (low_id, high_id, n);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_sender_id_cid_key UNIQUE (sender_id, cid);
ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.push_pending
    ADD CONSTRAINT push_due_pkey PRIMARY KEY (user_id, peer_id);
ALTER TABLE ONLY public.push_early_receipts
    ADD CONSTRAINT push_early_receipts_pkey PRIMARY KEY (log_id);
ALTER TABLE ONLY public.push_jobs
    ADD CONSTRAINT push_jobs_pkey PRIMARY KEY (subscription_id, peer_id);
ALTER TABLE ONLY public.push_last_confirmed
    ADD CONSTRAINT push_last_confirmed_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.push_log
    ADD CONSTRAINT push_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT push_subscriptions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT push_subscriptions_user_id_endpoint_key UNIQUE (user_id, endpoint);
ALTER TABLE ONLY public.service
    ADD CONSTRAINT service_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_username_key_key UNIQUE (username_key);
CREATE INDEX blocks_by_blocked ON public.blocks USING btree (blocked_id, blocker_id);
CREATE INDEX blocks_by_position ON public.blocks USING btree (blocker_id, "position");
CREATE INDEX changes_by_at ON public.changes USING btree (at);
CREATE INDEX conversations_by_hour ON public.conversations USING btree (user_id, last_hour);
CREATE INDEX conversations_unread ON public.conversations USING btree (user_id, peer_id) WHERE (unread > 0);
CREATE INDEX device_proofs_by_use ON public.device_proofs USING btree (used_at);
CREATE INDEX device_proofs_by_user ON public.device_proofs USING btree (user_id, used_at);
CREATE INDEX friends_by_time ON public.friends USING btree (user_id, state, at);
CREATE INDEX push_early_receipts_by_time ON public.push_early_receipts USING btree (shown_at);
CREATE INDEX push_jobs_by_pair ON public.push_jobs USING btree (user_id, peer_id);
CREATE INDEX push_jobs_by_time ON public.push_jobs USING btree (due_at);
CREATE INDEX push_log_by_user ON public.push_log USING btree (user_id, at);
CREATE INDEX push_pending_by_time ON public.push_pending USING btree (due_at);
CREATE INDEX push_subscriptions_by_endpoint ON public.push_subscriptions USING btree (endpoint);
CREATE INDEX push_subscriptions_by_session ON public.push_subscriptions USING btree (session_id);
CREATE INDEX push_subscriptions_unusable ON public.push_subscriptions USING btree (unusable_since) WHERE (unusable_since IS NOT NULL);
CREATE INDEX sessions_by_use ON public.sessions USING btree (used_at);
CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id);
CREATE INDEX users_by_nickname ON public.users USING btree (nickname_key);
CREATE TRIGGER push_subscriptions_log AFTER DELETE ON public.push_subscriptions FOR EACH ROW EXECUTE FUNCTION public.log_removed_subscription();
CREATE TRIGGER push_subscriptions_removed AFTER DELETE ON public.push_subscriptions FOR EACH ROW WHEN ((old.session_id IS NOT NULL)) EXECUTE FUNCTION public.note_removed_subscription();
ALTER TABLE ONLY public.blocks
    ADD CONSTRAINT blocks_blocked_id_fkey FOREIGN KEY (blocked_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.blocks
    ADD CONSTRAINT blocks_blocker_id_fkey FOREIGN KEY (blocker_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.device_proofs
    ADD CONSTRAINT device_proofs_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.friends
    ADD CONSTRAINT friends_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.friends
    ADD CONSTRAINT friends_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.inbox_heads
    ADD CONSTRAINT inbox_heads_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.push_pending
    ADD CONSTRAINT push_due_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.push_pending
    ADD CONSTRAINT push_due_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.push_jobs
    ADD CONSTRAINT push_jobs_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES public.push_subscriptions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.push_last_confirmed
    ADD CONSTRAINT push_last_confirmed_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT push_subscriptions_session_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT push_subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
