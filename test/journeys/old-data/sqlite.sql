CREATE TABLE migrations (name text primary key not null, at integer not null, additive integer not null default 0) strict;
insert into migrations values ('0001-accounts', 1795356675831, 0);
insert into migrations values ('0002-blocks', 1795356675834, 0);
insert into migrations values ('0003-push', 1795356675834, 0);
insert into migrations values ('0004-inbox', 1795356675835, 0);
insert into migrations values ('0005-chat', 1795356675835, 0);
insert into migrations values ('0006-friends', 1795356675835, 0);
insert into migrations values ('0007-push-queue', 1795356675835, 0);
insert into migrations values ('0008-push-delivery', 1795356675837, 0);
insert into migrations values ('0009-presence', 1795356675837, 0);
insert into migrations values ('0010-told-marks', 1795356675837, 0);
insert into migrations values ('0011-push-receipts', 1795356675838, 0);
insert into migrations values ('0012-flat-indexes', 1795356675838, 0);
insert into migrations values ('0013-device-proofs', 1795356675838, 0);
insert into migrations values ('0014-push-limits', 1795356675838, 0);
insert into migrations values ('0015-subscriptions-of-sessions', 1795717416860, 0);
insert into migrations values ('0016-push-log-reasons', 1795717416860, 0);
insert into migrations values ('0017-plain-names', 1795717416860, 0);
insert into migrations values ('0018-subscription-languages', 1795717416860, 0);
insert into migrations values ('0019-session-addresses', 1795717416860, 0);
insert into migrations values ('0020-log-of-removed-devices', 1795717416860, 0);
insert into migrations values ('0021-trim-by-user', 1795717416860, 0);
insert into migrations values ('0022-conversations-by-hour', 1795717416860, 0);
insert into migrations values ('0023-changes', 1795717416860, 0);
insert into migrations values ('0024-additive-migrations', 1795717416860, 0);
CREATE TABLE users (
    id text primary key not null,
    username text not null,
    username_key text not null unique,
    password_hash text not null,
    nickname text not null default '',
    email text not null default '',
    avatar text not null default '',
    gender text not null default '',
    bio text not null default '',
    phone text not null default '',
    push_enabled integer not null default 1 check (push_enabled in (0, 1)),
    dnd_enabled integer not null default 0 check (dnd_enabled in (0, 1)),
    push_preview text not null default 'sender' check (push_preview in ('full', 'sender', 'none')),
    nickname_key text not null,
    status text not null default 'active' check (status in ('active', 'suspended', 'deleted')),
    created_at integer not null
  ) strict;
insert into users values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'alice', 'alice', '$bcrypt-sha256$v=2,t=2b,r=4$OfM8EORCgeRyNAkyC9VOju$qY.xQdfRHuaSuFRC/utmtsbdGwoilma', 'Alice ✨ 爱丽丝', 'alice@example.org', 'https://pictures.example.org/alice.png', 'female', 'Tea at five.
It''s "late"; \ 50 %', '+44 20 7946 0000', 1, 0, 'full', 'alice ✨ 爱丽丝', 'active', 1790000001000);
insert into users values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 'bob', 'bob', '$bcrypt-sha256$v=2,t=2b,r=4$TQG.jHFoEzf4fxrYBP8zoO$0z/wHJRa85V556v1sWC9vSieHHFcV5u', 'Bob', '', '', 'secret', '', '', 1, 0, 'sender', '', 'active', 1790000002000);
insert into users values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 'carol', 'carol', '$bcrypt-sha256$v=2,t=2b,r=4$8P6WbZZj2WMtbb1VQOpDR.$cn/MEFNGmdngpJ9iVAfOL9cTNQBPEv2', 'carol', '', '', '', '', '', 1, 0, 'none', '', 'active', 1790000003000);
insert into users values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 'dave', 'dave', '$bcrypt-sha256$v=2,t=2b,r=4$ODRT9bLjqxH0rbftIJWr8.$hR53YkV..PaZHIafyfwnQ9iuW.hddZ2', 'dave', '', '', '', '', '', 1, 0, 'sender', '', 'active', 1790000004000);
insert into users values ('01a0c450-7f88-7000-8660-81117c1df139', 'erin', 'erin', '$bcrypt-sha256$v=2,t=2b,r=4$GgX31r0bWUS.zJJTk/8hdO$u9cqEEciGdognx8o6Wbnpnt05uwN8oS', 'erin', '', '', '', '', '', 0, 1, 'sender', '', 'active', 1790000005000);
insert into users values ('01a0c450-8370-7000-85bd-73fc6c9bb714', 'frank', 'frank', '', 'frank', '', '', '', '', '', 1, 0, 'sender', '', 'deleted', 1790000006000);
CREATE TABLE sessions (
    id text primary key not null,
    user_id text not null references users (id),
    device text not null default '',
    created_at integer not null,
    used_at integer not null
  , address text not null default '') strict;
insert into sessions values ('01a0c450-6fe8-7001-918c-925d28bcc964', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'lightMyRequest', 1790000001000, 1790000001000, '');
insert into sessions values ('01a0c450-73d0-7001-be63-37140fc92fa5', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 'lightMyRequest', 1790000002000, 1790000002000, '');
insert into sessions values ('01a0c450-77b8-7001-b8fe-6fff4f6aa4c0', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 'lightMyRequest', 1790000003000, 1790000003000, '');
insert into sessions values ('01a0c450-7ba0-7001-9f83-196835e6e4f8', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 'lightMyRequest', 1790000004000, 1790000004000, '');
insert into sessions values ('01a0c450-7f88-7001-97c7-f822285361be', '01a0c450-7f88-7000-8660-81117c1df139', 'lightMyRequest', 1790000005000, 1790000005000, '');
insert into sessions values ('01a0c450-d578-7000-86e4-ec6175b7c487', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'Phone', 1790000027000, 1790000027000, '');
CREATE TABLE service (
    name text primary key not null,
    value text not null
  ) strict;
insert into service values ('issuer', 'doorman:bef4446a-9113-45ec-8e6f-95878fcd0340');
insert into service values ('jwt-keys', '[{"createdAt":1790000000000,"jwk":{"kty":"OKP","crv":"Ed25519","x":"yrh4d15D8JNyL1IX2Mk1NOdfJ-E9X7qrMAzb06q6G7A","d":"zYMX9248Dlnxme1TT1uKFp4dtYbx9mVqPdbtYc4Au10","kid":"JnMrPWv1zbJk6s7Um7jax4e9_QX-D-B-Rru89vALnFM"}}]');
insert into service values ('epoch', '8db2d256');
insert into service values ('vapid-keys', '[{"publicKey":"BE3-eoPQhsv9IRlc403wFqy4beIUqibmictVcGB1FnThLX6PHlYPSfYOoJmT8y5G68amgWAHMdjJTSYOfT0MffA","privateKey":"wvwb3BzoIniGH_l3tz4Rd_mT56jOGv4MdFR4_gilNLY"}]');
insert into service values ('push-receipt-key', 'EQ8W-hGsZMptGp_bQWSNw3PkMwXrxK46i7IqWuXMLs4');
CREATE TABLE blocks (
    blocker_id text not null references users (id),
    blocked_id text not null references users (id),
    created_at integer not null,
    position integer not null,
    primary key (blocker_id, blocked_id)
  ) strict;
insert into blocks values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-7f88-7000-8660-81117c1df139', 1790000015000, 1);
insert into blocks values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', '01a0c450-7f88-7000-8660-81117c1df139', 1790000017000, 1);
insert into blocks values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 1790000083000, 1);
CREATE TABLE push_subscriptions (
    id text primary key not null,
    user_id text not null references users (id),
    endpoint text not null,
    p256dh text not null,
    auth text not null,
    vapid_public text not null,
    user_agent text not null default '',
    created_at integer not null,
    updated_at integer not null,
    unusable_since integer,
    last_success_at integer, not_before integer not null default 0, refusals integer not null default 0, refused_since integer, last_notified_at integer not null default 0, session_id text references sessions (id) on delete cascade, language text not null default '',
    unique (user_id, endpoint)
  ) strict;
insert into push_subscriptions values ('01a0c451-0070-7000-9801-a9dc91bc2a13', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 'http://127.0.0.1:49999/push/stnwWd7Nfj3dMlnHjGwzbS0X2AEq038U', 'BGtKE-PvinMQgh3UM9qR8biFhrixYtKjn15aF4sDvYcobQ8p8KcavZsE5sEJqhvTZO_Z_CL6alLRqW_e3L8-L2c', 'RJEo19Oq-6ucLTbQIMkxdA', 'BE3-eoPQhsv9IRlc403wFqy4beIUqibmictVcGB1FnThLX6PHlYPSfYOoJmT8y5G68amgWAHMdjJTSYOfT0MffA', 'Firefox', 1790000038000, 1790000038000, null, 1790000093000, 0, 0, null, 0, '01a0c450-7ba0-7001-9f83-196835e6e4f8', '');
insert into push_subscriptions values ('01a0c451-3720-7000-8e95-ba4b6f19bb42', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 'http://127.0.0.1:49999/push/WZKt0oi_0SwX_HD6bt_9_7k03Ue-CDso', 'zaeZ_G_B6HOdUYicZwoB5mgiq0apcs4hy881Y8pIQQKmz2VVRhFY19Up__w7i26FhZmu2NUnukvD-JSB4iw4iaU', 'E1weg-cmOPYVocI-SFfe5Q', 'BE3-eoPQhsv9IRlc403wFqy4beIUqibmictVcGB1FnThLX6PHlYPSfYOoJmT8y5G68amgWAHMdjJTSYOfT0MffA', 'Broken', 1790000052000, 1790000052000, 1790000052000, null, 0, 0, null, 0, '01a0c450-7ba0-7001-9f83-196835e6e4f8', '');
insert into push_subscriptions values ('01a0c454-c548-7001-b0fb-21c7ae73dc96', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 'http://127.0.0.1:49999/push/LIolVAmP4JqO7qrwBMfOri90v7YzWyG_', 'BHD68KtJP7q2L9GK42Z3zlyaiGBfk1V74yxwECO6txbDvrjYsklHwe8UYFefR5Bs1GUxE803FdSt9ULVTFE133c', 'YLkp4RFJZkNXvF7-gywztQ', 'BE3-eoPQhsv9IRlc403wFqy4beIUqibmictVcGB1FnThLX6PHlYPSfYOoJmT8y5G68amgWAHMdjJTSYOfT0MffA', 'a stranger''s', 1790000285000, 1790000285000, null, null, 0, 0, null, 0, null, '');
insert into push_subscriptions values ('01a0c454-f040-7000-a66d-367014b98366', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 'http://127.0.0.1:49999/push/vs3fKZIiEZ77mbm1JmM2i4yFYGaUvp45', 'BG91wdSWsCXqlkltzSBneSlHA3sHsEjouaD9_FrRnak2y-wzBbY_Dv-08AZjrFTusZg292X6-yvu-QAS4FTBBk0', 'HSJ1Osex0pHB1_GnH5VIsw', 'BE3-eoPQhsv9IRlc403wFqy4beIUqibmictVcGB1FnThLX6PHlYPSfYOoJmT8y5G68amgWAHMdjJTSYOfT0MffA', 'unknown', 1790000296000, 1790000296000, null, 1790000297000, 0, 0, null, 1790000297000, null, '');
insert into push_subscriptions values ('01a0c455-6958-7000-93b1-0ea82ab5360a', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'http://127.0.0.1:49999/push/pNi3LVR4W6zNYGpl6oEzWuSFoGy-5yJh', 'BJUJis21LLdc0kgJYZRNkqtn8RzIFsJs4BPoKCIIAa46D16SFOE_8egOry9gre2BL4j6-BjKF0KFn6oKzkOOLXQ', 'o36FypdE7BRjSy0utpn_6A', 'BE3-eoPQhsv9IRlc403wFqy4beIUqibmictVcGB1FnThLX6PHlYPSfYOoJmT8y5G68amgWAHMdjJTSYOfT0MffA', 'Laptop', 1790000327000, 1790000327000, null, null, 0, 0, null, 0, '01a0c450-6fe8-7001-918c-925d28bcc964', '');
insert into push_subscriptions values ('01a0c455-6d40-7000-b76b-2a399723ae2f', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 'http://127.0.0.1:49999/push/b1GKGD8FafTVP1VA_M5DIT_dJJZlrOAW', 'BAS6MdjA27sc4sCitqP1dUIh3DnkMpYuaZrn5nbsxIXM1i_10Cp0DYI5CWl-9625DuCVlUHS_ICPZTZsf1edO3g', 'WU1_Q82_GuV_n6_Um0L2UA', 'BE3-eoPQhsv9IRlc403wFqy4beIUqibmictVcGB1FnThLX6PHlYPSfYOoJmT8y5G68amgWAHMdjJTSYOfT0MffA', 'Hangs', 1790000328000, 1790000328000, null, null, 0, 0, null, 0, '01a0c450-77b8-7001-b8fe-6fff4f6aa4c0', '');
insert into push_subscriptions values ('01a0c455-7128-7000-b48e-933f940c22fc', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 'http://127.0.0.1:49999/push/h6bY7JnvYCnVnguw0kTmJhvCQrNg_SXV', 'BMhjXPyYN2DBqvEpmpPP9h7l5BVtgtSNxnyGAUG9A3q5XTD-6m1aCGgPOLfsHI6fgRZPD1qL-WD35jgYcD6cGHc', 'uksWahrpaiMqvhb7629GXg', 'BE3-eoPQhsv9IRlc403wFqy4beIUqibmictVcGB1FnThLX6PHlYPSfYOoJmT8y5G68amgWAHMdjJTSYOfT0MffA', 'Fails', 1790000329000, 1790000329000, null, null, 0, 0, null, 0, '01a0c450-77b8-7001-b8fe-6fff4f6aa4c0', '');
insert into push_subscriptions values ('01a0c455-7510-7000-a632-99ffa2074d45', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 'http://127.0.0.1:49999/push/9O6PVtBo9vx3xZ4aV5qa9CfhBIir0UeY', 'BNbPp2rmih6pXLrQwvh2DF04XRfkLctERvzrWa7Tj-88RzCExFYoLOQgk10tNSNkTBKD48XpBkanDk1l_ty5MxI', '7bikkmPfPY5fviRDDpkzPQ', 'BE3-eoPQhsv9IRlc403wFqy4beIUqibmictVcGB1FnThLX6PHlYPSfYOoJmT8y5G68amgWAHMdjJTSYOfT0MffA', 'Busy', 1790000330000, 1790000330000, null, null, 1790002136000, 0, null, 0, '01a0c450-77b8-7001-b8fe-6fff4f6aa4c0', '');
insert into push_subscriptions values ('01a0c455-78f8-7000-984b-7d82b9a26bd5', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 'http://127.0.0.1:49999/push/gHjD0qLeu5OZlGszXspg6pvTGoOkfTCA', 'BM1_qstu1uR_Odqzvzas79nXf3iGVztulRYyvqFKIzDM_ftux0Uz2Lk5sPosy80mGLaeWe6u2s-w3KI0-2s8Vu0', '4Fr00EarRFzgY_CrgnCC8Q', 'BE3-eoPQhsv9IRlc403wFqy4beIUqibmictVcGB1FnThLX6PHlYPSfYOoJmT8y5G68amgWAHMdjJTSYOfT0MffA', 'Refuses', 1790000331000, 1790000331000, null, null, 1790003936000, 1, 1790000336000, 0, '01a0c450-77b8-7001-b8fe-6fff4f6aa4c0', '');
CREATE TABLE push_log (
    id text primary key not null,
    user_id text not null,
    at integer not null,
    subscription_id text not null,
    kind text not null,
    outcome text not null,
    status integer,
    detail text not null default ''
  , peer_id text, waiting_until integer, device_name text not null default '', shown_at integer, clicked_at integer, reason text not null default '') strict;
insert into push_log values ('01a0c450-9ae0-7000-ad60-f7df82b5b3b6', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 1790000012000, '', 'message', 'seen', null, 'bob''s laptop', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, '', null, null, '');
insert into push_log values ('01a0c450-9ae0-7001-a258-e05f47e645ed', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1790000012000, '', 'message', 'seen', null, '', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', null, '', null, null, '');
insert into push_log values ('01a0c450-9ec8-7000-9bfd-3388b9a92e69', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1790000013000, '', 'message', 'no_device', null, '', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', null, '', null, null, '');
insert into push_log values ('01a0c450-a0bc-7000-9eb3-9587fc04d620', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1790000013500, '', 'message', 'no_device', null, '', '01a0c450-77b8-7000-90a0-2ea8f02f503e', null, '', null, null, '');
insert into push_log values ('01a0c450-a2b0-7000-b84e-09c2b85d8c8e', '01a0c450-7f88-7000-8660-81117c1df139', 1790000014000, '', 'message', 'off', null, '', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, '', null, null, '');
insert into push_log values ('01a0c450-a4a4-7000-9d27-1742937689e2', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1790000014500, '', 'message', 'no_device', null, '', '01a0c450-7f88-7000-8660-81117c1df139', null, '', null, null, '');
insert into push_log values ('01a0c450-d960-7000-9580-64376f0d452f', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000028000, '', 'message', 'no_device', null, '', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, '', null, null, '');
insert into push_log values ('01a0c451-0840-7001-a2d8-f3d7e51f65f4', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000040000, '01a0c451-0070-7000-9801-a9dc91bc2a13', 'message', 'accepted', 201, '', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, 'Firefox', 1790000050000, 1790000052000, '');
insert into push_log values ('01a0c451-0840-7000-a507-8b4f5f571c04', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000040000, '01a0c451-0458-7000-a0c1-476788624214', 'message', 'gone', 410, 'gone', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, 'Old Firefox', null, null, 'gone');
insert into push_log values ('01a0c451-3720-7002-8295-e05d28b220a6', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000052000, '01a0c451-0070-7000-9801-a9dc91bc2a13', 'message', 'accepted', 201, '', '01a0c450-77b8-7000-90a0-2ea8f02f503e', null, 'Firefox', null, null, '');
insert into push_log values ('01a0c451-3720-7001-8fe5-a94736b6c11c', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000052000, '01a0c451-3720-7000-8e95-ba4b6f19bb42', 'message', 'unusable', null, 'keys_unusable', '01a0c450-77b8-7000-90a0-2ea8f02f503e', null, 'Broken', null, null, 'keys_unusable');
insert into push_log values ('01a0c451-5e30-7000-843a-e512ae52c5ff', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000062000, '', 'message', 'dnd', null, '', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, '', null, null, '');
insert into push_log values ('01a0c451-8540-7000-af7d-6173b4b865ec', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000072000, '', 'message', 'off', null, '', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, '', null, null, '');
insert into push_log values ('01a0c451-b038-7000-a92b-d49862c4a6ec', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000083000, '', 'message', 'seen', null, 'Safari', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, '', null, null, '');
insert into push_log values ('01a0c451-b038-7001-96fb-13381a34abe7', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000083000, '', 'message', 'blocked', null, '', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', null, '', null, null, '');
insert into push_log values ('01a0c451-d748-7000-9cbf-2092794062ea', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000093000, '01a0c451-3720-7000-8e95-ba4b6f19bb42', 'test', 'unusable', null, 'keys_unusable', null, null, 'Broken', null, null, 'keys_unusable');
insert into push_log values ('01a0c451-d748-7001-a807-6e392531bc89', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000093000, '01a0c451-0070-7000-9801-a9dc91bc2a13', 'test', 'accepted', 201, '', null, null, 'Firefox', null, null, '');
insert into push_log values ('01a0c452-c590-7000-8867-4d2cfadc7c0a', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000154000, '01a0c451-3720-7000-8e95-ba4b6f19bb42', 'test', 'unusable', null, 'keys_unusable', null, null, 'Broken', null, null, 'keys_unusable');
insert into push_log values ('01a0c452-c590-7001-bb55-923b9381448f', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000154000, '01a0c451-0070-7000-9801-a9dc91bc2a13', 'test', 'refused', 400, 'refused', null, null, 'Firefox', null, null, 'refused');
insert into push_log values ('01a0c453-b3d8-7000-85fd-3ecee7dc6e3e', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000215000, '01a0c451-3720-7000-8e95-ba4b6f19bb42', 'test', 'unusable', null, 'keys_unusable', null, null, 'Broken', null, null, 'keys_unusable');
insert into push_log values ('01a0c453-b3d8-7001-8c9e-6c254b8535d7', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000215000, '01a0c451-0070-7000-9801-a9dc91bc2a13', 'test', 'refused', 500, 'server_error', null, null, 'Firefox', null, null, 'server_error');
insert into push_log values ('01a0c454-a220-7000-a024-5d9b1f7aff7d', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000276000, '01a0c451-3720-7000-8e95-ba4b6f19bb42', 'test', 'unusable', null, 'keys_unusable', null, null, 'Broken', null, null, 'keys_unusable');
insert into push_log values ('01a0c454-a220-7001-a25f-6c7cc8b5ce78', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000276000, '01a0c451-0070-7000-9801-a9dc91bc2a13', 'test', 'failed', null, 'connect', null, null, 'Firefox', null, null, 'connect');
insert into push_log values ('01a0c454-a9f0-7000-b865-ac293efb0ba3', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000278000, '', 'message', 'account_closed', null, '', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, '', null, null, '');
insert into push_log values ('01a0c454-add8-7000-a2d5-1035cc26ba25', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000279000, '01a0c451-3720-7000-8e95-ba4b6f19bb42', 'message', 'gone', null, 'refused for 7 days: refused', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, 'Broken', null, null, 'refused_7_days');
insert into push_log values ('01a0c454-b1c0-7000-8e48-83ccbea0a122', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000280000, '01a0c451-3720-7000-8e95-ba4b6f19bb42', 'message', 'failed', null, 'given up after 24 hours', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, 'Broken', null, null, 'gave_up_24h');
insert into push_log values ('01a0c454-b5a8-7000-b78d-bf73871b07ca', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000281000, '01a0c451-3720-7000-8e95-ba4b6f19bb42', 'message', 'failed', null, 'port', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, 'Broken', null, null, 'port');
insert into push_log values ('01a0c454-b990-7000-9b0f-723d3b3061fd', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000282000, '01a0c451-3720-7000-8e95-ba4b6f19bb42', 'message', 'waiting', null, 'its push service said so', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1790003882000, 'Broken', null, null, 'push_service_paused');
insert into push_log values ('01a0c454-bd78-7000-95b0-15603f31a568', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000283000, '01a0c451-3720-7000-8e95-ba4b6f19bb42', 'message', 'waiting', null, 'its push service refuses us at the moment', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1790003883000, 'Broken', null, null, 'push_service_refuses');
insert into push_log values ('01a0c454-c160-7000-9304-b3603f26bd20', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000284000, '01a0c451-3720-7000-8e95-ba4b6f19bb42', 'message', 'waiting', null, 'private_address', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1790003884000, 'Broken', null, null, 'private_address');
insert into push_log values ('01a0c454-c548-7000-873d-6769bb83fd22', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000285000, '01a0c451-3720-7000-8e95-ba4b6f19bb42', 'message', 'waiting', null, 'timeout', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1790003885000, 'Broken', null, null, 'timeout');
insert into push_log values ('01a0c454-c930-7000-9f5e-2871e89b5873', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000286000, '01a0c454-c548-7001-b0fb-21c7ae73dc96', 'message', 'unconfirmed', null, '', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, '', null, null, '');
insert into push_log values ('01a0c454-c930-7001-8fc2-07c8d70647c2', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000286000, '01a0c451-0070-7000-9801-a9dc91bc2a13', 'message', 'accepted', 201, '', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, 'Firefox', null, null, '');
insert into push_log values ('01a0c454-f428-7000-9b83-325815306fb0', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 1790000297000, '01a0c454-f040-7000-a66d-367014b98366', 'message', 'accepted', 201, '', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', null, '', null, null, '');
insert into push_log values ('01a0c454-f428-7001-96e0-cfb5b91bb1ca', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 1790000297000, '01a0c454-f040-7000-a66d-367014b98366', 'message', 'already_notified', null, '', '01a0c450-77b8-7000-90a0-2ea8f02f503e', null, '', null, null, '');
insert into push_log values ('01a0c455-6958-7001-adae-13ced48a58a4', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1790000327000, '', 'message', 'no_device', null, '', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', null, '', null, null, '');
insert into push_log values ('01a0c455-8c80-7000-8932-aa27331dddd2', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 1790000336000, '01a0c454-f040-7000-a66d-367014b98366', 'message', 'waiting', null, 'unconfirmed: at most once a minute', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 1790000357000, '', null, null, 'unconfirmed_rate');
insert into push_log values ('01a0c455-8c80-7004-adb0-d1a8ee6f178e', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 1790000337000, '01a0c455-7128-7000-b48e-933f940c22fc', 'message', 'waiting', 500, 'server_error', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1790000338488, 'Fails', null, null, 'server_error');
insert into push_log values ('01a0c455-8c80-7001-829e-801fbb350b54', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 1790000336000, '01a0c455-7510-7000-a632-99ffa2074d45', 'message', 'waiting', 429, 'rate_limited', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1790002136000, 'Busy', null, null, 'rate_limited');
insert into push_log values ('01a0c455-8c80-7003-b102-9e149a87b706', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 1790000336000, '01a0c455-78f8-7000-984b-7d82b9a26bd5', 'message', 'waiting', 403, 'refused', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1790003936000, 'Refuses', null, null, 'refused');
CREATE TABLE inbox_heads (
    user_id text primary key not null references users (id),
    seq integer not null default 0,
    received integer not null default 0
  ) strict;
insert into inbox_heads values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 33, 0);
insert into inbox_heads values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 19, 9);
insert into inbox_heads values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 13, 0);
insert into inbox_heads values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 19, 13);
insert into inbox_heads values ('01a0c450-7f88-7000-8660-81117c1df139', 6, 0);
insert into inbox_heads values ('01a0c450-8370-7000-85bd-73fc6c9bb714', 1, 0);
CREATE TABLE inbox (
    user_id text not null,
    seq integer not null,
    at integer not null,
    event text not null,
    data text not null,
    primary key (user_id, seq)
  ) strict;
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1, 1790000006000, 'profile', '{"id":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","username":"alice","nickname":"Alice ✨ 爱丽丝","email":"alice@example.org","avatar":"https://pictures.example.org/alice.png","gender":"female","bio":"Tea at five.\nIt''s \"late\"; \\ 50 %","phone":"+44 20 7946 0000","push_enabled":1,"dnd_enabled":0}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 2, 1790000006000, 'settings', '{"push_enabled":1,"dnd_enabled":0,"push_preview":"full"}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 1, 1790000006000, 'profile', '{"id":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","username":"bob","nickname":"Bob","email":"","avatar":"","gender":"secret","bio":"","phone":"","push_enabled":1,"dnd_enabled":0}');
insert into inbox values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 1, 1790000006000, 'settings', '{"push_enabled":1,"dnd_enabled":0,"push_preview":"none"}');
insert into inbox values ('01a0c450-7f88-7000-8660-81117c1df139', 1, 1790000006000, 'settings', '{"push_enabled":0,"dnd_enabled":1,"push_preview":"sender"}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 2, 1790000006000, 'friend', '{"userId":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","state":"requested"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 3, 1790000006000, 'friend', '{"userId":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","state":"asked"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 4, 1790000007000, 'friend', '{"userId":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","state":"friends"}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 3, 1790000007000, 'friend', '{"userId":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","state":"friends"}');
insert into inbox values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 2, 1790000007000, 'friend', '{"userId":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","state":"requested"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 5, 1790000007000, 'friend', '{"userId":"01a0c450-77b8-7000-90a0-2ea8f02f503e","state":"asked"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 6, 1790000008000, 'friend', '{"userId":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","state":"requested"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1, 1790000008000, 'friend', '{"userId":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","state":"asked"}');
insert into inbox values ('01a0c450-7f88-7000-8660-81117c1df139', 2, 1790000008000, 'friend', '{"userId":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","state":"requested"}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 4, 1790000008000, 'friend', '{"userId":"01a0c450-7f88-7000-8660-81117c1df139","state":"asked"}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 5, 1790000008000, 'friend', '{"userId":"01a0c450-7f88-7000-8660-81117c1df139","state":"none"}');
insert into inbox values ('01a0c450-7f88-7000-8660-81117c1df139', 3, 1790000008000, 'friend', '{"userId":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","state":"none"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 2, 1790000008000, 'friend', '{"userId":"01a0c450-77b8-7000-90a0-2ea8f02f503e","state":"requested"}');
insert into inbox values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 3, 1790000008000, 'friend', '{"userId":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","state":"asked"}');
insert into inbox values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 4, 1790000008000, 'friend', '{"userId":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","state":"friends"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 3, 1790000008000, 'friend', '{"userId":"01a0c450-77b8-7000-90a0-2ea8f02f503e","state":"friends"}');
insert into inbox values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 5, 1790000008000, 'friend', '{"userId":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","state":"none"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 4, 1790000008000, 'friend', '{"userId":"01a0c450-77b8-7000-90a0-2ea8f02f503e","state":"none"}');
insert into inbox values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 6, 1790000008000, 'friend', '{"userId":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","state":"requested"}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 6, 1790000008000, 'friend', '{"userId":"01a0c450-77b8-7000-90a0-2ea8f02f503e","state":"asked"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 7, 1790000008000, 'message', '{"peer":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","n":1,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c1","body":"hello Bob"}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 7, 1790000008000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":1,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c1","body":"hello Bob"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 8, 1790000008000, 'message', '{"peer":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","n":2,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c2","body":"are you there?"}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 8, 1790000008000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":2,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c2","body":"are you there?"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 9, 1790000008000, 'message', '{"peer":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","n":3,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c3","body":"你好 👋 a\nsecond line"}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 9, 1790000008000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":3,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c3","body":"你好 👋 a\nsecond line"}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 10, 1790000010000, 'marked', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","by":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","received":3,"read":0}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 10, 1790000010000, 'marked', '{"peer":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","by":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","received":3,"read":0}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 11, 1790000012000, 'marked', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","by":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","received":3,"read":2}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 11, 1790000012000, 'marked', '{"peer":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","by":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","received":3,"read":2}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 12, 1790000012000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":4,"from":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","cid":"c4","body":"I''m here"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 12, 1790000012000, 'message', '{"peer":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","n":4,"from":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","cid":"c4","body":"I''m here"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 13, 1790000012000, 'marked', '{"peer":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","by":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","received":4,"read":4}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 13, 1790000012000, 'marked', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","by":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","received":4,"read":4}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 14, 1790000013000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":5,"from":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","cid":"c5","body":"and you?"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 14, 1790000013000, 'message', '{"peer":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","n":5,"from":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","cid":"c5","body":"and you?"}');
insert into inbox values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 7, 1790000013000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":1,"from":"01a0c450-77b8-7000-90a0-2ea8f02f503e","cid":"c6","body":"tea?"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 15, 1790000013000, 'message', '{"peer":"01a0c450-77b8-7000-90a0-2ea8f02f503e","n":1,"from":"01a0c450-77b8-7000-90a0-2ea8f02f503e","cid":"c6","body":"tea?"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 16, 1790000014000, 'message', '{"peer":"01a0c450-8370-7000-85bd-73fc6c9bb714","n":1,"from":"01a0c450-8370-7000-85bd-73fc6c9bb714","cid":"c7","body":"I am leaving"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 17, 1790000014000, 'message', '{"peer":"01a0c450-7f88-7000-8660-81117c1df139","n":1,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c8","body":"no more of this"}');
insert into inbox values ('01a0c450-7f88-7000-8660-81117c1df139', 4, 1790000014000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":1,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c8","body":"no more of this"}');
insert into inbox values ('01a0c450-7f88-7000-8660-81117c1df139', 5, 1790000014000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":2,"from":"01a0c450-7f88-7000-8660-81117c1df139","cid":"c9","body":"as you like"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 18, 1790000014000, 'message', '{"peer":"01a0c450-7f88-7000-8660-81117c1df139","n":2,"from":"01a0c450-7f88-7000-8660-81117c1df139","cid":"c9","body":"as you like"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 19, 1790000015000, 'block', '{"userId":"01a0c450-7f88-7000-8660-81117c1df139"}');
insert into inbox values ('01a0c450-7f88-7000-8660-81117c1df139', 6, 1790000015000, 'marked', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","by":"01a0c450-7f88-7000-8660-81117c1df139","received":1,"read":1}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 20, 1790000016000, 'block', '{"userId":"01a0c450-7ba0-7000-89cd-8d7a3b292bba"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 21, 1790000017000, 'unblock', '{"userId":"01a0c450-7ba0-7000-89cd-8d7a3b292bba"}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 15, 1790000017000, 'block', '{"userId":"01a0c450-7f88-7000-8660-81117c1df139"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 22, 1790000028000, 'sessions', '{"ended":["01a0c450-d578-7001-9000-247f8a7f9ea9"]}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 23, 1790000028000, 'message', '{"peer":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","n":1,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c10","body":"no device"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 5, 1790000028000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":1,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c10","body":"no device"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 24, 1790000040000, 'message', '{"peer":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","n":2,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c11","body":"accepted and gone"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 6, 1790000040000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":2,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c11","body":"accepted and gone"}');
insert into inbox values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 8, 1790000052000, 'message', '{"peer":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","n":1,"from":"01a0c450-77b8-7000-90a0-2ea8f02f503e","cid":"c12","body":"unusable"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 7, 1790000052000, 'message', '{"peer":"01a0c450-77b8-7000-90a0-2ea8f02f503e","n":1,"from":"01a0c450-77b8-7000-90a0-2ea8f02f503e","cid":"c12","body":"unusable"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 8, 1790000062000, 'settings', '{"push_enabled":1,"dnd_enabled":1,"push_preview":"sender"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 25, 1790000062000, 'message', '{"peer":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","n":3,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c13","body":"dnd, then off"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 9, 1790000062000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":3,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c13","body":"dnd, then off"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 10, 1790000072000, 'settings', '{"push_enabled":0,"dnd_enabled":0,"push_preview":"sender"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 26, 1790000072000, 'message', '{"peer":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","n":4,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c14","body":"dnd, then off"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 11, 1790000072000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":4,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c14","body":"dnd, then off"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 12, 1790000082000, 'settings', '{"push_enabled":1,"dnd_enabled":0,"push_preview":"sender"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 27, 1790000082000, 'message', '{"peer":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","n":5,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c15","body":"seen"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 13, 1790000082000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":5,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c15","body":"seen"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 14, 1790000083000, 'marked', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","by":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","received":5,"read":0}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 15, 1790000083000, 'marked', '{"peer":"01a0c450-77b8-7000-90a0-2ea8f02f503e","by":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","received":1,"read":0}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 28, 1790000083000, 'marked', '{"peer":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","by":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","received":5,"read":0}');
insert into inbox values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 9, 1790000083000, 'marked', '{"peer":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","by":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","received":1,"read":0}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 16, 1790000083000, 'message', '{"peer":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","n":1,"from":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","cid":"c16","body":"blocked"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 16, 1790000083000, 'message', '{"peer":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","n":1,"from":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","cid":"c16","body":"blocked"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 17, 1790000083000, 'block', '{"userId":"01a0c450-73d0-7000-8aed-2ea0ab4180a8"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 29, 1790000286000, 'message', '{"peer":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","n":6,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c17","body":"beside an unconfirmed device"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 18, 1790000286000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":6,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c17","body":"beside an unconfirmed device"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 30, 1790000297000, 'message', '{"peer":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","n":6,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c18","body":"one"}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 17, 1790000297000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":6,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c18","body":"one"}');
insert into inbox values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 10, 1790000297000, 'message', '{"peer":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","n":1,"from":"01a0c450-77b8-7000-90a0-2ea8f02f503e","cid":"c19","body":"two"}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 18, 1790000297000, 'message', '{"peer":"01a0c450-77b8-7000-90a0-2ea8f02f503e","n":1,"from":"01a0c450-77b8-7000-90a0-2ea8f02f503e","cid":"c19","body":"two"}');
insert into inbox values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 19, 1790000327000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":7,"from":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","cid":"c20","body":"last one of dave"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 31, 1790000327000, 'message', '{"peer":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","n":7,"from":"01a0c450-7ba0-7000-89cd-8d7a3b292bba","cid":"c20","body":"last one of dave"}');
insert into inbox values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 11, 1790000336000, 'message', '{"peer":"01a0c450-73d0-7000-8aed-2ea0ab4180a8","n":2,"from":"01a0c450-77b8-7000-90a0-2ea8f02f503e","cid":"c21","body":"waits for its minute"}');
insert into inbox values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 19, 1790000336000, 'message', '{"peer":"01a0c450-77b8-7000-90a0-2ea8f02f503e","n":2,"from":"01a0c450-77b8-7000-90a0-2ea8f02f503e","cid":"c21","body":"waits for its minute"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 32, 1790000336000, 'message', '{"peer":"01a0c450-77b8-7000-90a0-2ea8f02f503e","n":2,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c22","body":"to four devices"}');
insert into inbox values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 12, 1790000336000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":2,"from":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","cid":"c22","body":"to four devices"}');
insert into inbox values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', 13, 1790000337000, 'message', '{"peer":"01a0c450-6fe8-7000-a5ca-097fd6bf3204","n":3,"from":"01a0c450-77b8-7000-90a0-2ea8f02f503e","cid":"c23","body":"still pending"}');
insert into inbox values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 33, 1790000337000, 'message', '{"peer":"01a0c450-77b8-7000-90a0-2ea8f02f503e","n":3,"from":"01a0c450-77b8-7000-90a0-2ea8f02f503e","cid":"c23","body":"still pending"}');
CREATE TABLE conversations (
    user_id text not null references users (id),
    peer_id text not null references users (id),
    n integer not null default 0,
    last_at integer not null default 0,
    received integer not null default 0,
    read integer not null default 0,
    unread integer not null default 0, disclosed_received integer not null default 0, disclosed_read integer not null default 0, last_hour integer not null default 0,
    primary key (user_id, peer_id)
  ) strict;
insert into conversations values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 6, 1790000297000, 4, 4, 1, 4, 4, 497222);
insert into conversations values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 6, 1790000297000, 3, 2, 2, 3, 2, 497222);
insert into conversations values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 3, 1790000337000, 0, 0, 1, 0, 0, 497222);
insert into conversations values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 3, 1790000337000, 0, 0, 2, 0, 0, 497222);
insert into conversations values ('01a0c450-8370-7000-85bd-73fc6c9bb714', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1, 1790000014000, 0, 0, 0, 0, 0, 497222);
insert into conversations values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-8370-7000-85bd-73fc6c9bb714', 1, 1790000014000, 0, 0, 1, 0, 0, 497222);
insert into conversations values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-7f88-7000-8660-81117c1df139', 2, 1790000014000, 0, 0, 1, 0, 0, 497222);
insert into conversations values ('01a0c450-7f88-7000-8660-81117c1df139', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 2, 1790000014000, 1, 1, 0, 0, 0, 497222);
insert into conversations values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 7, 1790000327000, 0, 0, 1, 0, 0, 497222);
insert into conversations values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 7, 1790000327000, 5, 0, 6, 5, 0, 497222);
insert into conversations values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1, 1790000052000, 0, 0, 0, 0, 0, 497222);
insert into conversations values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 1, 1790000052000, 1, 0, 1, 1, 0, 497222);
insert into conversations values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1, 1790000083000, 0, 0, 0, 0, 0, 497222);
insert into conversations values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 1, 1790000083000, 0, 0, 1, 0, 0, 497222);
insert into conversations values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 2, 1790000336000, 0, 0, 0, 0, 0, 497222);
insert into conversations values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 2, 1790000336000, 0, 0, 2, 0, 0, 497222);
CREATE TABLE messages (
    low_id text not null,
    high_id text not null,
    n integer not null,
    sender_id text not null,
    cid text not null,
    body text not null,
    at integer not null,
    primary key (low_id, high_id, n),
    unique (sender_id, cid)
  ) strict;
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 1, '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'c1', 'hello Bob', 1790000008000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 2, '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'c2', 'are you there?', 1790000008000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 3, '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'c3', '你好 👋 a
second line', 1790000008000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 4, '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 'c4', 'I''m here', 1790000012000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 5, '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 'c5', 'and you?', 1790000013000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 1, '01a0c450-77b8-7000-90a0-2ea8f02f503e', 'c6', 'tea?', 1790000013000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-8370-7000-85bd-73fc6c9bb714', 1, '01a0c450-8370-7000-85bd-73fc6c9bb714', 'c7', 'I am leaving', 1790000014000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-7f88-7000-8660-81117c1df139', 1, '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'c8', 'no more of this', 1790000014000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-7f88-7000-8660-81117c1df139', 2, '01a0c450-7f88-7000-8660-81117c1df139', 'c9', 'as you like', 1790000014000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1, '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'c10', 'no device', 1790000028000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 2, '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'c11', 'accepted and gone', 1790000040000);
insert into messages values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1, '01a0c450-77b8-7000-90a0-2ea8f02f503e', 'c12', 'unusable', 1790000052000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 3, '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'c13', 'dnd, then off', 1790000062000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 4, '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'c14', 'dnd, then off', 1790000072000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 5, '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'c15', 'seen', 1790000082000);
insert into messages values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1, '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 'c16', 'blocked', 1790000083000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 6, '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'c17', 'beside an unconfirmed device', 1790000286000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 6, '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'c18', 'one', 1790000297000);
insert into messages values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 1, '01a0c450-77b8-7000-90a0-2ea8f02f503e', 'c19', 'two', 1790000297000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 7, '01a0c450-7ba0-7000-89cd-8d7a3b292bba', 'c20', 'last one of dave', 1790000327000);
insert into messages values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 2, '01a0c450-77b8-7000-90a0-2ea8f02f503e', 'c21', 'waits for its minute', 1790000336000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 2, '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'c22', 'to four devices', 1790000336000);
insert into messages values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 3, '01a0c450-77b8-7000-90a0-2ea8f02f503e', 'c23', 'still pending', 1790000337000);
CREATE TABLE friends (
    user_id text not null references users (id),
    peer_id text not null references users (id),
    state text not null,
    at integer not null,
    primary key (user_id, peer_id)
  ) strict;
insert into friends values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'friends', 1790000007000);
insert into friends values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 'friends', 1790000007000);
insert into friends values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 'requested', 1790000007000);
insert into friends values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 'asked', 1790000007000);
insert into friends values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 'requested', 1790000008000);
insert into friends values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 'asked', 1790000008000);
CREATE TABLE "push_pending" (
    user_id text not null references users (id),
    peer_id text not null references users (id),
    first_seq integer not null,
    last_seq integer not null,
    count integer not null,
    due_at integer not null, cooldown_until integer not null default 0,
    primary key (user_id, peer_id)
  ) strict;
insert into push_pending values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 19, 19, 0, 1790000339000, 1790000339000);
insert into push_pending values ('01a0c450-77b8-7000-90a0-2ea8f02f503e', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 12, 12, 0, 1790000339000, 1790000339000);
insert into push_pending values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 33, 33, 1, 1790000342000, 0);
CREATE TABLE push_jobs (
    subscription_id text not null references push_subscriptions (id) on delete cascade,
    peer_id text not null,
    user_id text not null,
    last_seq integer not null,
    due_at integer not null,
    leased integer not null default 0,
    attempts integer not null default 0,
    decided_at integer not null,
    short integer not null default 0,
    log_id text not null default '',
    primary key (subscription_id, peer_id)
  ) strict;
insert into push_jobs values ('01a0c454-f040-7000-a66d-367014b98366', '01a0c450-77b8-7000-90a0-2ea8f02f503e', '01a0c450-73d0-7000-8aed-2ea0ab4180a8', 19, 1790000357000, 0, 0, 1790000336000, 0, '01a0c455-8c80-7000-8932-aa27331dddd2');
insert into push_jobs values ('01a0c455-7510-7000-a632-99ffa2074d45', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 12, 1790002136000, 0, 1, 1790000336000, 0, '01a0c455-8c80-7001-829e-801fbb350b54');
insert into push_jobs values ('01a0c455-6d40-7000-b76b-2a399723ae2f', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 12, 1790000396000, 1, 0, 1790000336000, 0, '');
insert into push_jobs values ('01a0c455-78f8-7000-984b-7d82b9a26bd5', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 12, 1790003936000, 0, 1, 1790000336000, 0, '01a0c455-8c80-7003-b102-9e149a87b706');
insert into push_jobs values ('01a0c455-7128-7000-b48e-933f940c22fc', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', '01a0c450-77b8-7000-90a0-2ea8f02f503e', 12, 1790000338488, 0, 2, 1790000336000, 0, '01a0c455-8c80-7004-adb0-d1a8ee6f178e');
CREATE TABLE last_seen (
    user_id text primary key not null,
    at integer not null
  ) strict;
insert into last_seen values ('01a0c450-73d0-7000-8aed-2ea0ab4180a8', 1790000013000);
insert into last_seen values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000083000);
CREATE TABLE push_early_receipts (
    log_id text primary key not null,
    shown_at integer not null,
    clicked_at integer
  ) strict;
CREATE TABLE device_proofs (
    hash text primary key not null,
    user_id text not null references users (id),
    used_at integer not null
  ) strict;
insert into device_proofs values ('SbMBbHHyFFkJhBDpgkt6n8HLuSmeUzTgGIc3zTFguCE', '01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1790000027000);
CREATE TABLE push_last_confirmed (
    user_id text primary key not null references users (id),
    removed_at integer not null
  ) strict;
insert into push_last_confirmed values ('01a0c450-6fe8-7000-a5ca-097fd6bf3204', 1790000028000);
insert into push_last_confirmed values ('01a0c450-7ba0-7000-89cd-8d7a3b292bba', 1790000040000);
CREATE TABLE changes (
    id text primary key not null,
    at integer not null,
    kind text not null,
    subject text not null
  ) strict;
CREATE INDEX users_by_nickname on users (nickname_key);
CREATE INDEX sessions_by_user on sessions (user_id);
CREATE INDEX sessions_by_use on sessions (used_at);
CREATE INDEX blocks_by_position on blocks (blocker_id, position);
CREATE INDEX push_subscriptions_by_endpoint on push_subscriptions (endpoint);
CREATE INDEX push_log_by_user on push_log (user_id, at);
CREATE INDEX push_jobs_by_time on push_jobs (due_at);
CREATE INDEX push_jobs_by_pair on push_jobs (user_id, peer_id);
CREATE INDEX blocks_by_blocked on blocks (blocked_id, blocker_id);
CREATE INDEX friends_by_time on friends (user_id, state, at);
CREATE INDEX push_early_receipts_by_time on push_early_receipts (shown_at);
CREATE INDEX push_subscriptions_unusable on push_subscriptions (unusable_since) where unusable_since is not null;
CREATE INDEX device_proofs_by_user on device_proofs (user_id, used_at);
CREATE INDEX device_proofs_by_use on device_proofs (used_at);
CREATE INDEX conversations_unread on conversations (user_id, peer_id) where unread > 0;
CREATE INDEX push_subscriptions_by_session on push_subscriptions (session_id);
CREATE TRIGGER push_subscriptions_removed after delete on push_subscriptions
          when old.session_id is not null
          begin
            insert into push_last_confirmed (user_id, removed_at) values (old.user_id, cast(unixepoch('subsec') * 1000 as integer))
            on conflict (user_id) do update set removed_at = excluded.removed_at;
          end;
CREATE INDEX push_pending_by_time on push_pending (due_at);
CREATE TRIGGER push_subscriptions_log after delete on push_subscriptions
          begin
            update push_log set at = cast(unixepoch('subsec') * 1000 as integer), outcome = 'gone', status = null, reason = 'removed', detail = 'the device was removed', waiting_until = null
            where user_id = old.user_id and subscription_id = old.id and outcome = 'waiting';
          end;
CREATE INDEX conversations_by_hour on conversations (user_id, last_hour);
CREATE INDEX changes_by_at on changes (at);
