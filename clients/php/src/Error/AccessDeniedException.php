<?php

namespace Tillseal\Error;

/** 401, 403: mend the token. */
final class AccessDeniedException extends ProblemException {}
