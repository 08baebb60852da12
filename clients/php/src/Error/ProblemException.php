<?php

declare(strict_types=1);

namespace Tillseal\Error;

use Tillseal\ExactJson;

/** Any answer from Tillseal but success. */
class ProblemException extends TillsealException
{
    /** @var ?string stable, and explained at /docs/errors. PHP's own exceptions have it without a type. */
    public $code;
    public readonly ?string $title;
    public readonly ?string $detail;
    /** What a till does with its receipt: Again, SetAside or Stop. */
    public readonly ?string $then;
    public readonly ?string $requestId;
    /** @var list<FieldError> */
    public readonly array $errors;

    final public function __construct(
        public readonly int $status,
        public readonly string $text,
        public readonly ?int $retryAfterSeconds = null,
    ) {
        try {
            $document = ExactJson::decode($text);
        } catch (\JsonException) {
            $document = null;
        }
        $document = is_array($document) ? $document : [];
        $this->code = self::text($document, 'Code');
        $this->title = self::text($document, 'title');
        $this->detail = self::text($document, 'detail');
        $this->then = self::text($document, 'Then');
        $this->requestId = self::text($document, 'requestId');
        $this->errors = array_map(
            static fn (array $error) => new FieldError(
                self::text($error, 'Field') ?? '',
                self::text($error, 'Code') ?? '',
                self::text($error, 'Message') ?? '',
            ),
            array_values(array_filter((array) ($document['errors'] ?? []), is_array(...))),
        );
        $words = array_map(static fn (FieldError $error) => "$error->field: $error->message", $this->errors);
        parent::__construct(trim("$status $this->code " . (implode('; ', $words) ?: $this->detail ?? $this->title)));
    }

    /** The exception for the problem's status. */
    public static function of(int $status, string $text, ?int $retryAfterSeconds = null): self
    {
        $type = match (true) {
            in_array($status, [400, 413, 415], true) => InvalidRequestException::class,
            in_array($status, [401, 403], true) => AccessDeniedException::class,
            $status === 404 => NotFoundException::class,
            $status === 409 => ConflictException::class,
            $status === 429 || $status >= 500 => UnavailableException::class,
            default => self::class,
        };
        return new $type($status, $text, $retryAfterSeconds);
    }

    /** Whether there are errors, and each has one of these codes. */
    public function hasOnly(string ...$codes): bool
    {
        return $this->errors !== [] && array_diff(array_column($this->errors, 'code'), $codes) === [];
    }

    /** @param array<mixed> $document */
    private static function text(array $document, string $name): ?string
    {
        return is_string($document[$name] ?? null) ? $document[$name] : null;
    }
}
