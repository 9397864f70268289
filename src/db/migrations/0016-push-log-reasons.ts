export const statements = (type: { text: string }): string[] => [
  // Why a push was not taken or waits, as one word for programs; '' where the words of an earlier version do not tell. An
  // entry of another outcome has none: of a message that was seen, `detail` is the name of a device.
  `alter table push_log add column reason ${type.text} not null default ''`,
  `update push_log set reason = case
      when detail like 'refused for%' then 'refused_7_days'
      when detail like 'given up after%' then 'gave_up_24h'
      when detail like 'its push service said so%' then 'push_service_paused'
      when detail like 'its push service refuses%' then 'push_service_refuses'
      when detail like 'unconfirmed: at most%' then 'unconfirmed_rate'
      when detail like 'private_address%' then 'private_address'
      when detail like 'timeout%' then 'timeout'
      when detail in (
        'tls', 'connect', 'port', 'protocol', 'fault', 'gone', 'refused', 'too_large', 'rate_limited', 'server_error',
        'keys_unusable') then detail
      else ''
    end
    where outcome in ('waiting', 'gone', 'refused', 'failed', 'unusable')`,
];
