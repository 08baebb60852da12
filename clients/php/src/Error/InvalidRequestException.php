<?php

namespace Tillseal\Error;

/** 400, 413, 415: correct the request; `$errors` names every field. */
final class InvalidRequestException extends ProblemException {}
