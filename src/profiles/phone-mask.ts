/**
 * A phone number as other users see it (interface 2.1 leaves the rule open, this one is our choice): of 11 digits or
 * more the first 3 and the last 4 stay, of 5 to 10 the last 2, of fewer none. Every other character becomes `*`, so the
 * length stays.
 */
export function maskPhone(phone: string): string {
  const digits = phone.replaceAll(/[^0-9]/g, '').length;
  const head = digits >= 11 ? 3 : 0;
  const tail = digits >= 11 ? 4 : digits >= 5 ? 2 : 0;
  let seen = 0;
  return phone.replaceAll(/./gsu, (character) => {
    if (!/[0-9]/.test(character)) return '*';
    seen++;
    return seen <= head || seen > digits - tail ? character : '*';
  });
}
