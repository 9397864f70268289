import { LOCALES } from '../../../i18n/languages.ts';
import { useLanguage, useTexts } from '../../../i18n/texts.tsx';
import { VisuallyHidden } from '../../../ui/controls/visually-hidden.tsx';

/** Says to screen readers how many users a search found. @param count undefined while it is not known */
export function FoundStatus({ count, hasMore = false }: { count: number | undefined; hasMore?: boolean }) {
  const texts = useTexts().people;
  const { language } = useLanguage();
  const toText = (found: number) =>
    found === 0
      ? texts.nobodyFound
      : texts.found(new Intl.NumberFormat(LOCALES[language]).format(found), hasMore);
  return (
    <VisuallyHidden component="p" role="status" data-testid="people-found">
      {count !== undefined && toText(count)}
    </VisuallyHidden>
  );
}
