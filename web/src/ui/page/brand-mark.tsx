/** The mark of scripts/icons.mjs: a door that is a speech bubble, light behind its keyhole. */
export function BrandMark({ size = 40 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 512 512" aria-hidden="true" focusable="false">
      <rect width="512" height="512" rx="116" fill="var(--mantine-color-livery-8)" />
      <g transform="translate(-41 -69) scale(1.16)">
        <path
          fill="var(--mantine-color-brass-0)"
          d="M132 366V226C132 157 187 102 256 102S380 157 380 226V366C380 386 364 402 344 402H262L198 458C190 465 178 459 178 449V402H168C148 402 132 386 132 366Z"
        />
        <path
          fill="var(--mantine-color-brass-5)"
          d="M256 178A46 46 0 0 1 281 263L293 318C295 327 288 336 279 336H233C224 336 217 327 219 318L231 263A46 46 0 0 1 256 178Z"
        />
      </g>
    </svg>
  );
}
